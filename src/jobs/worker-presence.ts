import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Database } from '../persistence/database';

const BEAT_MS = 15_000;
/** A worker that was seen within this time counts as running: it may miss one beat. */
const PRESENT_SECONDS = 45;
/**
 * Features whose rows earlier workers would settle wrongly, with the revision of the first worker that settles them. A new
 * release takes the next number; all features of one release share it.
 */
export const WORKER_REVISIONS = {
  transfersWithinActions: 1,
  feesOfWithdrawals: 1,
  claims: 2,
  requests: 3,
  routedContinuations: 3,
} as const;
/** Revision of the workers of this version. */
const REVISION = Math.max(...Object.values(WORKER_REVISIONS));

export interface PresenceDeps {
  readonly pool: Pick<Pool, 'query'>;
  readonly log: Pick<Logger, 'warn'>;
  /** False while the job queue is not connected: the worker then counts for its revision alone. */
  readonly isWorking: () => boolean;
}

/** Lets other processes see this worker, and whether it runs jobs, by the clock of the database, until it stops. */
export function announceWorker({ pool, log, isWorking }: PresenceDeps): { stop(): Promise<void> } {
  const id = randomUUID();
  const report = (error: unknown): void =>
    log.warn(
      { reason: error instanceof Error ? error.message : typeof error },
      'the presence of a worker was not stored',
    );
  const beat = async (): Promise<void> => {
    await pool.query(SEEN, [id, REVISION, isWorking()]).catch(report);
  };
  let running = beat();
  const timer = setInterval(() => {
    running = running.then(beat);
  }, BEAT_MS);
  return {
    async stop() {
      clearInterval(timer);
      await running;
      await pool.query('DELETE FROM "Worker" WHERE "id" = $1', [id]).catch(report);
    },
  };
}

/** Stores that a worker was seen, and forgets those that ended without stopping. */
const SEEN = `
  WITH forgotten AS (DELETE FROM "Worker" WHERE "seenAt" < now() - interval '1 day' AND "id" <> $1::uuid)
  INSERT INTO "Worker" ("id", "seenAt", "revision", "runsJobs") VALUES ($1::uuid, now(), $2::int, $3::boolean)
  ON CONFLICT ("id") DO UPDATE SET "seenAt" = now(), "runsJobs" = EXCLUDED."runsJobs"`;

/**
 * True while a worker runs that has not reached a revision of `WORKER_REVISIONS`, as during a rolling update: it would settle the
 * rows of that feature wrongly.
 */
export async function isOlderWorkerPresent(database: Pick<Database, '$queryRaw'>, revision: number): Promise<boolean> {
  const [row] = await database.$queryRaw<{ readonly present: boolean }[]>`
    SELECT EXISTS (
      SELECT 1 FROM "Worker"
       WHERE "revision" < ${revision} AND "seenAt" > now() - make_interval(secs => ${PRESENT_SECONDS})) AS present`;
  return row?.present === true;
}

/** True when some process runs jobs for this database. */
export async function isWorkerPresent(pool: Pick<Pool, 'query'>): Promise<boolean> {
  const { rows } = await pool.query<{ readonly present: boolean }>(
    `SELECT EXISTS (
       SELECT 1 FROM "Worker" WHERE "runsJobs" AND "seenAt" > now() - make_interval(secs => $1)) AS present`,
    [PRESENT_SECONDS],
  );
  return rows[0]?.present === true;
}
