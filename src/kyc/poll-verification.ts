import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { resolveOnAbort } from '../async/race-abort';
import type { VerificationState } from '../ramps/kyc-provider';
import type { RampId } from '../ramps/ramp-provider';
import type { IdentityDeps } from './identity-deps';
import type { ProfileKey } from './profile';
import { findRampAccount, type RampAccountRow } from './verification';

/** Least time between the starts of two polls of an account, unless its state was marked stale. */
const POLL_COOLDOWN_MS = 2000;
const POLL_TIMEOUT_MS = 5000;

export interface PollVerificationDeps extends Pick<
  IdentityDeps,
  'database' | 'ramps' | 'log' | 'pollsInFlight' | 'isCoolingDown'
> {
  /** Milliseconds since 1970. Default: the clock of this machine. */
  readonly clock?: () => number;
}

/**
 * Polls the ramp for the state of a verification and stores it, unless the account was polled a moment ago. Open steps are
 * submitted for review. The stored state stays when the ramp is unavailable.
 *
 * Concurrent callers of a process share one poll, each for as long as its own signal lasts; the response is stored even
 * when every caller has left.
 */
export const pollVerification = (deps: PollVerificationDeps, row: RampAccountRow, signal: AbortSignal): Promise<void> =>
  sharePoll(deps, { row, readOnly: false }, signal);

/**
 * As `pollVerification`, for a request that would be refused because of the stored state. Requests no review, since
 * documents may still be missing, and never reverts a pending submission.
 */
export const pollVerificationReadOnly = (
  deps: PollVerificationDeps,
  row: RampAccountRow,
  signal: AbortSignal,
): Promise<void> => sharePoll(deps, { row, readOnly: true }, signal);

/** The stored account of a profile at a ramp. While its verification is pending the ramp is polled first. */
export async function pollPendingAccount(
  deps: PollVerificationDeps,
  { key, ramp }: { readonly key: ProfileKey; readonly ramp: RampId },
  signal: AbortSignal,
): Promise<RampAccountRow | undefined> {
  const stored = await findRampAccount(deps.database, key, ramp);
  if (stored?.status !== 'provider_pending') return stored;
  await pollVerificationReadOnly(deps, stored, signal);
  return findRampAccount(deps.database, key, ramp);
}

/** The dependencies of callers that only poll read-only. */
export const readOnlyPoller = (deps: PollVerificationDeps) => ({
  database: deps.database,
  pollReadOnly: (row: RampAccountRow, signal: AbortSignal): Promise<void> =>
    pollVerificationReadOnly(deps, row, signal),
});

interface Poll {
  readonly row: RampAccountRow;
  readonly readOnly: boolean;
}

async function sharePoll(deps: PollVerificationDeps, poll: Poll, signal: AbortSignal): Promise<void> {
  const { profileId, provider } = poll.row;
  const account = `${provider} ${profileId}`;
  const { pollsInFlight } = deps;
  const started = pollsInFlight.current(account);
  if (started !== undefined) await resolveOnAbort(started.join(), signal);
  if (signal.aborted) return;
  // A callback during the poll that was joined makes its response stale: the account is polled once more.
  const current = pollsInFlight.join(account, () => pollRamp(deps, poll));
  await resolveOnAbort(current, signal);
}

async function pollRamp(deps: PollVerificationDeps, { row, readOnly }: Poll): Promise<void> {
  const { accountId, attemptId, profileId: kycUserId, provider } = row;
  if (accountId === null || row.status === 'blocked' || deps.isCoolingDown(provider as RampId)) return;
  const pollToken = await startPoll(deps, row);
  if (pollToken === undefined) return;
  const account = { accountId, kycUserId, attemptId: attemptId ?? undefined };
  const timeout = AbortSignal.timeout(POLL_TIMEOUT_MS);
  try {
    const state = await deps.ramps[provider as RampId].verificationState(account, timeout, { readOnly });
    if (readOnly && row.status === 'provider_pending' && state.status === 'created') return;
    await storeState(deps.database, { row, pollToken }, state);
  } catch (err) {
    deps.log.warn({ err, provider }, 'polling a ramp for a verification failed');
  }
}

type RampAccountTable = Pick<IdentityDeps['database'], 'rampAccount'>;

/** Claims the next poll of an account and returns its token; `undefined` when a poll is not due. */
async function startPoll(
  { database, clock = Date.now }: Pick<PollVerificationDeps, 'database' | 'clock'>,
  row: RampAccountRow,
): Promise<string | undefined> {
  const { profileId, provider, updatedAt } = row;
  const [now, pollToken] = [new Date(clock()), randomUUID()];
  const lastDue = new Date(now.getTime() - POLL_COOLDOWN_MS);
  const { count } = await database.rampAccount.updateMany({
    where: {
      profileId,
      provider,
      status: { not: 'blocked' },
      profile: { erasedAt: null },
      AND: [
        { OR: [{ submissionLeasedUntil: null }, { submissionLeasedUntil: { lte: now } }] },
        { OR: [{ polledAt: null }, { polledAt: { lt: lastDue } }, { staleSince: { not: null } }] },
      ],
    },
    data: { polledAt: now, pollToken, staleSince: null, updatedAt },
  });
  return count === 1 ? pollToken : undefined;
}

interface StartedPoll {
  readonly row: RampAccountRow;
  readonly pollToken: string;
}

/** Stores a response, unless a later poll, a submission or a stale marker has replaced the token of its poll. */
async function storeState(
  { rampAccount }: RampAccountTable,
  { row, pollToken }: StartedPoll,
  state: VerificationState,
) {
  const { profileId, provider } = row;
  const { status, providerStatus = null, rejectReason = null, verificationLink = null, capabilities } = state;
  const verification = state.verification === undefined ? {} : { verification: state.verification };
  const data = { status, providerStatus, rejectReason, verificationLink, capabilities, ...verification };
  const hasChanged = Object.entries(data).some(
    ([name, value]) => !isDeepStrictEqual(row[name as keyof RampAccountRow], value),
  );
  if (!hasChanged) return;
  await rampAccount.updateMany({
    where: { profileId, provider, pollToken, status: { not: 'blocked' } },
    data: data as never,
  });
}
