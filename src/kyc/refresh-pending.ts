import { anySignal } from '../http/any-signal';
import type { AccountRow } from './verification';
import { refresh, type RefreshDeps } from './refresh';

/** Accounts that a run asks about at most, and how many of them at a time. */
const BATCH = 60;
const TOGETHER = 6;
/** A run ends before the next one begins. */
const RUN_MS = 50_000;

/**
 * Asks the ramps about people of whom a decision is awaited, as often as it is likely: a tenth of the time since anything
 * changed lies between two questions, a minute at least and an hour at most; after a month they are left to whoever reads
 * their status. Where documents come one by one, or a form of the ramp is filled in, nothing is asked for ten minutes after
 * the last of them: asking has the ramp begin with what is there.
 *
 * Callbacks and reads of the status make this faster, nothing depends on them. Any number of replicas may run it: of each
 * account one asks. Returns how many were due; those that have been waiting the longest come first.
 */
export async function refreshPending(deps: RefreshDeps, stopping: AbortSignal): Promise<number> {
  const due = await dueAccounts(deps.database);
  const signal = anySignal(stopping, AbortSignal.timeout(RUN_MS));
  const waiting = due.values();
  const askOneAfterTheOther = async (): Promise<void> => {
    for (const row of waiting) {
      if (signal.aborted) return;
      await refresh(deps, row, signal);
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, askOneAfterTheOther));
  return due.length;
}

/** By the clock of this machine, as every time that is compared here. */
async function dueAccounts(database: RefreshDeps['database']): Promise<readonly AccountRow[]> {
  const keys = await database.$queryRaw<{ profileId: string; provider: string }[]>`
    SELECT account."profileId", account.provider
      FROM "RampAccount" AS account JOIN "KycProfile" AS profile ON profile.id = account."profileId",
           (SELECT ${new Date()}::timestamptz AS now) AS clock
     WHERE account."accountId" IS NOT NULL AND profile."erasedAt" IS NULL
       AND account."updatedAt" > clock.now - interval '30 days'
       AND (account.status = 'provider_pending'
            OR (account.provider = 'secondary' AND account.status IN ('created', 'rejected_retryable')
                AND account."updatedAt" < clock.now - interval '10 minutes'))
       AND (account."checkedAt" IS NULL
            OR account."checkedAt" < clock.now
               - least(greatest((clock.now - account."updatedAt") / 10, interval '1 minute'), interval '1 hour'))
     ORDER BY account."checkedAt" NULLS FIRST, account."profileId"
     LIMIT ${BATCH}`;
  const rows = await database.rampAccount.findMany({ where: { OR: [...keys] } });
  return keys.flatMap((key) =>
    rows.filter(({ profileId, provider }) => profileId === key.profileId && provider === key.provider),
  );
}
