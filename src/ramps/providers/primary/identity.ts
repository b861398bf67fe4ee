import { serviceError } from '../../../errors/service-error';
import type { AccountOpening, VerifiableAccount, Person, RampKycProvider, VerificationState } from '../../kyc-provider';
import type { RampAccount } from '../../ramp-provider';
import { usdBeneficiaryId } from './beneficiary';
import { listAttempts, submitIdentityEvidence } from './evidence';
import { isStatus, PRIMARY, rampUnavailable, withoutBody } from './failures';
import { requestAccountInfo, type PrimaryRampApi, type AccountCall } from './ramp-api';
import { created, metadata, oneAttempt, readResponse, subAccounts, type ApiAttempt } from './api-schemas';

const SUB_ACCOUNTS = '/v2/account/sub-accounts';

/** Verification at the primary ramp. KYC_PROFILE_INCOMPLETE_FOR_RAMP when a profile is refused, else PROVIDER_UNAVAILABLE. */
export function primaryIdentity(api: PrimaryRampApi): RampKycProvider {
  return {
    id: PRIMARY,
    openAccount: (_person: Person, opening, signal) => translateErrors(() => openSubAccount(api, opening, signal)),
    submitEvidence: (submission, signal) => submitIdentityEvidence(api, submission, signal),
    verificationState: (account, signal) => translateErrors(() => requestVerificationState(api, account, signal)),
    unlockCurrency: ({ accountId }, _currency, signal) =>
      translateErrors(() => unlockUsd(api, { accountId, signal }), 'verification'),
    saveBeneficiary: ({ accountId }, { beneficiary }, signal) =>
      translateErrors(() => usdBeneficiaryId(api, beneficiary, { accountId, signal }), 'bank account'),
  };
}

/** `missing`: the part of the profile that a refusal stands for. Without it, refusals are failures of the ramp. */
async function translateErrors<Result>(work: () => Promise<Result>, missing?: string): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (missing === undefined || !isStatus(cause, 400, 422)) throw rampUnavailable(cause);
    throw serviceError('KYC_PROFILE_INCOMPLETE_FOR_RAMP', { fields: missing }, { cause: withoutBody(cause) });
  }
}

/**
 * Sub-accounts cannot be removed. When an earlier request may have opened one, it is searched by its name, the id of the
 * profile, which reveals no personal data. The search reads the whole list.
 */
async function openSubAccount(
  api: PrimaryRampApi,
  { kycUserId, requestedSince }: AccountOpening,
  signal: AbortSignal,
): Promise<RampAccount> {
  const existing = requestedSince === undefined ? undefined : await findSubAccount(api, kycUserId, signal);
  if (existing !== undefined) return { accountId: existing, kycUserId };
  const response = await api.http.post(SUB_ACCOUNTS, { accountType: 'INDIVIDUAL', name: kycUserId }, signal);
  return { accountId: readResponse(created, response).id, kycUserId };
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

async function requestMetadata({ http }: PrimaryRampApi, { accountId, signal }: AccountCall) {
  return readResponse(metadata, await http.get('/v2/account/metadata', { subAccountId: accountId }, signal));
}

async function unlockUsd(api: PrimaryRampApi, call: AccountCall): Promise<void> {
  if ((await requestMetadata(api, call)).usdUnlocked === true) return;
  const query = { subAccountId: call.accountId };
  await api.http.call({ method: 'POST', path: '/v2/kyc/usd/api', query, signal: call.signal });
}

async function requestVerificationState(
  api: PrimaryRampApi,
  { accountId, attemptId }: VerifiableAccount,
  signal: AbortSignal,
): Promise<VerificationState> {
  const call = { accountId, signal };
  const [{ accountInfo }, unlocked, attempt] = await Promise.all([
    requestAccountInfo(api, call),
    requestMetadata(api, call),
    attemptId === undefined ? requestNewestAttempt(api, call) : requestAttempt(api, attemptId, call),
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

const requestNewestAttempt = async (api: PrimaryRampApi, call: AccountCall) => (await listAttempts(api, call))[0];

async function requestAttempt({ http }: PrimaryRampApi, attemptId: string, { accountId, signal }: AccountCall) {
  const path = `/v2/kyc/attempts/${encodeURIComponent(attemptId)}`;
  return readResponse(oneAttempt, await http.get(path, { subAccountId: accountId }, signal)).attempt;
}

function statusOf(attempt: ApiAttempt | undefined): VerificationState['status'] {
  switch (attempt?.status) {
    case undefined:
      return 'created';
    case 'PENDING':
    case 'PROCESSING':
      return 'provider_pending';
    case 'EXPIRED':
      return 'rejected_retryable';
    case 'COMPLETED':
      return statusOfResult(attempt);
  }
}

function statusOfResult({ result, retryable }: Pick<ApiAttempt, 'result' | 'retryable'>): VerificationState['status'] {
  if (result === 'APPROVED') return 'approved';
  if (result !== 'REJECTED') return 'provider_pending';
  return retryable === true ? 'rejected_retryable' : 'rejected';
}

const LABEL = /^[A-Z][A-Z0-9_]{0,59}$/;

/** The ramp's labels, which are codes. Its sentences are not returned to callers. */
function reasonOf(attempt: ApiAttempt | undefined): string {
  if (attempt?.status === 'EXPIRED') return 'EXPIRED';
  const labels = (attempt?.rejectionLabels ?? []).filter((label) => LABEL.test(label));
  return labels.length === 0 ? 'REJECTED' : labels.join(', ');
}
