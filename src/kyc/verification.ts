import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../persistence/database';
import type { VerificationState } from '../ramps/identity-provider';
import type { RampId } from '../ramps/ramp-provider';
import type { IdentityDeps } from './identity-deps';
import type { ProfileKey } from './profile';

/** A ramp is asked about an account at most that often. */
const ASK_AGAIN_MS = 2000;
/** A status read waits no longer than that for a ramp. */
const PATIENCE_MS = 5000;
/** While a submission is under way nobody asks: what the ramp says then is old at once. */
const SUBMISSION_MS = 60_000;

export type VerificationStatus = VerificationState['status'];
type RampAccountTable = Pick<Database, 'rampAccount'>;
export type AccountRow = Awaited<ReturnType<Database['rampAccount']['findMany']>>[number];

/** What is known of a profile at the ramps. */
export const accountsOf = ({ rampAccount }: RampAccountTable, { customerId, kycUserId }: ProfileKey) =>
  rampAccount.findMany({ where: { profileId: kycUserId, customerId } });

export async function accountAt(
  { rampAccount }: RampAccountTable,
  { customerId, kycUserId }: ProfileKey,
  ramp: RampId,
): Promise<AccountRow | undefined> {
  const row = await rampAccount.findFirst({ where: { profileId: kycUserId, provider: ramp, customerId } });
  return row ?? undefined;
}

/**
 * Asks the ramp what it thinks of a person, unless it was asked a moment ago, and keeps the answer. When it cannot be asked
 * what is known stays.
 */
export async function refresh(
  deps: Pick<IdentityDeps, 'database' | 'ramps' | 'log'>,
  row: AccountRow,
  signal: AbortSignal,
) {
  const { accountId, attemptId, profileId: kycUserId, provider } = row;
  if (accountId === null || row.status === 'blocked') return;
  const askedAt = new Date();
  if (!(await mayAsk(deps.database, row, askedAt))) return;
  const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  const account = { accountId, kycUserId, attemptId: attemptId ?? undefined };
  try {
    const state = await deps.ramps[provider as RampId].verificationState(account, patience);
    await keepState(deps.database, { row, askedAt }, state);
  } catch (err) {
    deps.log.warn({ err, provider }, 'a ramp could not be asked about a verification');
  }
}

async function mayAsk({ rampAccount }: RampAccountTable, row: AccountRow, askedAt: Date): Promise<boolean> {
  const { profileId, provider, updatedAt } = row;
  const { count } = await rampAccount.updateMany({
    where: {
      ...{ profileId, provider, status: { not: 'blocked' } },
      OR: [{ checkedAt: null }, { checkedAt: { lt: new Date(askedAt.getTime() - ASK_AGAIN_MS) } }],
    },
    data: { checkedAt: askedAt, updatedAt },
  });
  return count === 1;
}

interface Asked {
  readonly row: AccountRow;
  readonly askedAt: Date;
}

/** Keeps an answer, unless a submission has begun since the question. */
async function keepState({ rampAccount }: RampAccountTable, { row, askedAt }: Asked, state: VerificationState) {
  const { profileId, provider } = row;
  const { status, providerStatus = null, rejectReason = null, verificationLink = null, capabilities } = state;
  const verification = state.verification === undefined ? {} : { verification: state.verification };
  const known = { status, providerStatus, rejectReason, verificationLink, capabilities, ...verification };
  const isNews = Object.entries(known).some(
    ([name, value]) => !isDeepStrictEqual(row[name as keyof AccountRow], value),
  );
  if (!isNews) return;
  await rampAccount.updateMany({
    where: { profileId, provider, checkedAt: askedAt, status: { not: 'blocked' } },
    data: known as never,
  });
}

/** Has the next status read ask the ramp, however short ago that was done. */
export async function askAtNextRead({ rampAccount }: RampAccountTable, key: ProfileKey, ramp: RampId): Promise<void> {
  await rampAccount.updateMany({ where: { profileId: key.kycUserId, provider: ramp }, data: { checkedAt: null } });
}

/** What a profile may be submitted in. */
const OPEN: readonly VerificationStatus[] = ['created', 'rejected_retryable'];

/**
 * Hands a submission over, once: of several at a time one goes through. False when the verification does not wait for
 * one. What is submitted is pending until the ramp says otherwise; when the submission fails nothing has changed.
 */
export async function submitOnce(
  { rampAccount }: RampAccountTable,
  row: Pick<AccountRow, 'profileId' | 'provider' | 'status'>,
  submit: () => Promise<{ readonly attemptId?: string | undefined }>,
): Promise<boolean> {
  const { profileId, provider, status } = row;
  if (!OPEN.includes(status)) return false;
  const { count } = await rampAccount.updateMany({
    where: { profileId, provider, status },
    data: { status: 'provider_pending', rejectReason: null, checkedAt: new Date(Date.now() + SUBMISSION_MS) },
  });
  if (count === 0) return false;
  const mine = { profileId, provider, status: 'provider_pending' as const };
  try {
    const { attemptId } = await submit();
    await rampAccount.updateMany({
      where: mine,
      data: { checkedAt: null, ...(attemptId === undefined ? {} : { attemptId }) },
    });
    return true;
  } catch (error) {
    await rampAccount.updateMany({ where: mine, data: { status, checkedAt: null } });
    throw error;
  }
}

/** Ends a verification for good, unless it has succeeded already. */
export async function block(
  { rampAccount }: RampAccountTable,
  { customerId, kycUserId }: ProfileKey,
  { ramp, reason }: { readonly ramp: RampId; readonly reason: string },
): Promise<void> {
  const id = { profileId: kycUserId, provider: ramp };
  await rampAccount.createMany({ data: [{ ...id, customerId }], skipDuplicates: true });
  await rampAccount.updateMany({
    where: { ...id, status: { not: 'approved' } },
    data: { status: 'blocked', rejectReason: reason },
  });
}

/** True when a profile with that account, or without one, may be submitted. */
export const takesSubmissions = (row: AccountRow | undefined): boolean =>
  row === undefined || OPEN.includes(row.status);
