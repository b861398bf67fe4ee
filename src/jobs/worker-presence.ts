import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

const BEAT_MS = 15_000;
/** A worker that was seen within this time counts as running: it may miss one beat. */
const PRESENT_SECONDS = 45;

export interface PresenceDeps {
  readonly pool: Pick<Pool, 'query'>;
  readonly log: Pick<Logger, 'warn'>;
  /** A worker whose queue is not connected is not seen. */
  readonly isWorking: () => boolean;
}

/** Lets other processes see that this one runs jobs, by the clock of the database, until it stops. */
export function announceWorker({ pool, log, isWorking }: PresenceDeps): { stop(): Promise<void> } {
  const id = randomUUID();
  const report = (error: unknown): void =>
    log.warn(
      { reason: error instanceof Error ? error.message : typeof error },
      'the presence of a worker was not stored',
    );
  const beat = async (): Promise<void> => {
    if (isWorking()) await pool.query(SEEN, [id]).catch(report);
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
  INSERT INTO "Worker" ("id", "seenAt") VALUES ($1::uuid, now())
  ON CONFLICT ("id") DO UPDATE SET "seenAt" = now()`;

/** True when some process runs jobs for this database. */
export async function isWorkerPresent(pool: Pick<Pool, 'query'>): Promise<boolean> {
  const { rows } = await pool.query<{ readonly present: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM "Worker" WHERE "seenAt" > now() - make_interval(secs => $1)) AS present`,
    [PRESENT_SECONDS],
  );
  return rows[0]?.present === true;
}
