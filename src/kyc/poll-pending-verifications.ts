import { anySignal } from '../async/any-signal';
import { pollVerification, type PollVerificationDeps } from './poll-verification';
import type { RampAccountRow } from './verification';

const MAX_ACCOUNTS_PER_RUN = 60;
const MAX_CONCURRENT_POLLS = 6;
/** Shorter than the interval of the job, so that runs do not overlap. */
const RUN_TIMEOUT_MS = 50_000;

/**
 * Polls the ramps for verifications that await a decision. The interval between two polls is a tenth of the time since the
 * last change, at least a minute and at most an hour. After a month without a change only status requests poll.
 *
 * An account at the secondary ramp that waits for documents, or for a form of the ramp, is polled ten minutes after the last
 * change at the earliest, because a poll submits the documents present for review.
 *
 * Callbacks and status requests shorten the delay; nothing depends on them. Any number of replicas may run it: one of them
 * polls each account. Returns the number of accounts that were due; those that waited longest come first.
 */
export async function pollPendingVerifications(deps: PollVerificationDeps, stopping: AbortSignal): Promise<number> {
  const due = await listDueAccounts(deps);
  const signal = anySignal(stopping, AbortSignal.timeout(RUN_TIMEOUT_MS));
  const queue = due.values();
  const pollNext = async (): Promise<void> => {
    for (const row of queue) {
      if (signal.aborted) return;
      await pollVerification(deps, row, signal);
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_POLLS }, pollNext));
  return due.length;
}

/** Compares with the clock that also writes the columns, not with that of the database. */
async function listDueAccounts({
  database,
  clock = Date.now,
}: Pick<PollVerificationDeps, 'database' | 'clock'>): Promise<readonly RampAccountRow[]> {
  const keys = await database.$queryRaw<{ profileId: string; provider: string }[]>`
    SELECT account."profileId", account.provider
      FROM "RampAccount" AS account JOIN "KycProfile" AS profile ON profile.id = account."profileId",
           (SELECT ${new Date(clock())}::timestamptz AS now) AS clock
     WHERE account."accountId" IS NOT NULL AND profile."erasedAt" IS NULL
       AND account."updatedAt" > clock.now - interval '30 days'
       AND (account.status = 'provider_pending'
            OR (account.provider = 'secondary' AND account.status IN ('created', 'rejected_retryable')
                AND account."updatedAt" < clock.now - interval '10 minutes'))
       AND (account."submissionLeasedUntil" IS NULL OR account."submissionLeasedUntil" <= clock.now)
       AND (account."staleSince" IS NOT NULL OR account."polledAt" IS NULL
            OR account."polledAt" < clock.now
               - least(greatest((clock.now - account."updatedAt") / 10, interval '1 minute'), interval '1 hour'))
     ORDER BY account."staleSince" IS NULL, account."polledAt" NULLS FIRST, account."profileId"
     LIMIT ${MAX_ACCOUNTS_PER_RUN}`;
  const rows = await database.rampAccount.findMany({ where: { OR: [...keys] } });
  return keys.flatMap((key) =>
    rows.filter(({ profileId, provider }) => profileId === key.profileId && provider === key.provider),
  );
}
