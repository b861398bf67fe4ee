import { serviceError } from '../../../errors/service-error';
import type {
  AccountOpening,
  VerifiableAccount,
  Person,
  RampIdentityProvider,
  VerificationState,
} from '../../identity-provider';
import type { RampAccount } from '../../ramp-provider';
import { usdBeneficiaryId } from './beneficiary';
import { listAttempts, submitIdentityEvidence } from './evidence';
import { isStatus, PRIMARY, rampUnavailable, withoutBody } from './failures';
import { requestAccountInfo, type PrimaryRampApi, type AccountCall } from './ramp-api';
import { created, metadata, oneAttempt, readResponse, subAccounts, type WireAttempt } from './wire';

const SUB_ACCOUNTS = '/v2/account/sub-accounts';

/** The part of the primary ramp that knows people. KYC_PROFILE_INCOMPLETE_FOR_RAMP where a profile is refused, else PROVIDER_UNAVAILABLE. */
export function primaryIdentity(api: PrimaryRampApi): RampIdentityProvider {
  return {
    id: PRIMARY,
    openAccount: (_person: Person, opening, signal) => translated(() => openAccount(api, opening, signal)),
    submitEvidence: (submission, signal) => submitIdentityEvidence(api, submission, signal),
    verificationState: (account, signal) => translated(() => verificationState(api, account, signal)),
    unlockCurrency: ({ accountId }, _currency, signal) =>
      translated(() => unlockUsd(api, { accountId, signal }), 'verification'),
    saveBeneficiary: ({ accountId }, { beneficiary }, signal) =>
      translated(() => usdBeneficiaryId(api, beneficiary, { accountId, signal }), 'bank account'),
  };
}

/** `lacking`: what a refusal says that the profile lacks; refusals count as failures where it is absent. */
async function translated<Result>(work: () => Promise<Result>, lacking?: string): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (lacking === undefined || !isStatus(cause, 400, 422)) throw rampUnavailable(cause);
    throw serviceError('KYC_PROFILE_INCOMPLETE_FOR_RAMP', { fields: lacking }, { cause: withoutBody(cause) });
  }
}

/**
 * Sub-accounts cannot be removed: where one may have been opened already, it is looked for by the name that is ours for the
 * person, and tells nothing of them. All of them have to be read for that.
 */
async function openAccount(
  api: PrimaryRampApi,
  { kycUserId, requestedSince }: AccountOpening,
  signal: AbortSignal,
): Promise<RampAccount> {
  const known = requestedSince === undefined ? undefined : await findSubAccount(api, kycUserId, signal);
  if (known !== undefined) return { accountId: known, kycUserId };
  const answer = await api.http.post(SUB_ACCOUNTS, { accountType: 'INDIVIDUAL', name: kycUserId }, signal);
  return { accountId: readResponse(created, answer).id, kycUserId };
}

async function findSubAccount({ http }: PrimaryRampApi, name: string, signal: AbortSignal) {
  for (let cursor: string | undefined; ;) {
    const page = readResponse(subAccounts, await http.get(SUB_ACCOUNTS, { cursor }, signal));
    const found = page.subAccounts.find(({ accountInfo }) => accountInfo?.name === name);
    if (found !== undefined) return found.subAccountId;
    const next = page.cursor ?? '';
    if (next === '' || next === cursor) return undefined;
    cursor = next;
  }
}

async function metadataOf({ http }: PrimaryRampApi, { accountId, signal }: AccountCall) {
  return readResponse(metadata, await http.get('/v2/account/metadata', { subAccountId: accountId }, signal));
}

async function unlockUsd(api: PrimaryRampApi, call: AccountCall): Promise<void> {
  if ((await metadataOf(api, call)).usdUnlocked === true) return;
  const query = { subAccountId: call.accountId };
  await api.http.call({ method: 'POST', path: '/v2/kyc/usd/api', query, signal: call.signal });
}

async function verificationState(
  api: PrimaryRampApi,
  { accountId, attemptId }: VerifiableAccount,
  signal: AbortSignal,
): Promise<VerificationState> {
  const call = { accountId, signal };
  const [{ accountInfo }, unlocked, attempt] = await Promise.all([
    requestAccountInfo(api, call),
    metadataOf(api, call),
    attemptId === undefined ? newestAttempt(api, call) : attemptById(api, attemptId, call),
  ]);
  const approved = accountInfo.identityStatus === 'CONFIRMED';
  const status = approved ? 'approved' : statusOf(attempt);
  const isRejected = status === 'rejected' || status === 'rejected_retryable';
  return {
    status,
    providerStatus: attempt === undefined ? accountInfo.identityStatus : attempt.status,
    rejectReason: isRejected ? reasonOf(attempt) : undefined,
    verificationLink: undefined,
    capabilities: {
      BRL: status === 'approved' && unlocked.brlUnlocked !== false,
      USD: status === 'approved' && unlocked.usdUnlocked === true,
    },
  };
}

const newestAttempt = async (api: PrimaryRampApi, call: AccountCall) => (await listAttempts(api, call))[0];

async function attemptById({ http }: PrimaryRampApi, attemptId: string, { accountId, signal }: AccountCall) {
  const path = `/v2/kyc/attempts/${encodeURIComponent(attemptId)}`;
  return readResponse(oneAttempt, await http.get(path, { subAccountId: accountId }, signal)).attempt;
}

function statusOf(attempt: WireAttempt | undefined): VerificationState['status'] {
  switch (attempt?.status) {
    case undefined:
      return 'created';
    case 'PENDING':
    case 'PROCESSING':
      return 'provider_pending';
    case 'EXPIRED':
      return 'rejected_retryable';
    case 'COMPLETED':
      return verdictOf(attempt);
  }
}

function verdictOf({ result, retryable }: Pick<WireAttempt, 'result' | 'retryable'>): VerificationState['status'] {
  if (result === 'APPROVED') return 'approved';
  if (result !== 'REJECTED') return 'provider_pending';
  return retryable === true ? 'rejected_retryable' : 'rejected';
}

const LABEL = /^[A-Z][A-Z0-9_]{0,59}$/;

/** The ramp's labels, which are codes; its sentences are not passed on. */
function reasonOf(attempt: WireAttempt | undefined): string {
  if (attempt?.status === 'EXPIRED') return 'EXPIRED';
  const labels = (attempt?.rejectionLabels ?? []).filter((label) => LABEL.test(label));
  return labels.length === 0 ? 'REJECTED' : labels.join(', ');
}
