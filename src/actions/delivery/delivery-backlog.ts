import type { Pool } from 'pg';
import { z } from 'zod';
import { MAX_BACKLOG_COUNTED } from '../../persistence/max-backlog-counted';

/** The open deliveries of a provider, in all of the deployment. */
export interface DeliveryBacklog {
  readonly provider: string;
  readonly open: number;
  /** Deliveries whose poll is due and that no worker polls now. */
  readonly due: number;
  /** How long the oldest of them has been due, in seconds. */
  readonly oldestDueSeconds: number;
}

const rowSchema = z.object({
  provider: z.string(),
  open: z.number(),
  due: z.number(),
  oldestDueSeconds: z.number(),
});

// Due deliveries are counted apart: however many others there are, they hide none that is late.
const STATEMENT = `
  WITH opened AS (
    SELECT provider FROM "Delivery" WHERE "nextPollAt" IS NOT NULL LIMIT $1),
  due AS (
    SELECT provider, "nextPollAt" AS at FROM "Delivery"
     WHERE "nextPollAt" <= now() AND coalesce("leasedUntil" <= now(), true) ORDER BY "nextPollAt" LIMIT $1),
  counted AS (
    SELECT provider, 1 AS open, NULL AS at FROM opened UNION ALL SELECT provider, 0, at FROM due)
  SELECT provider, sum(open)::int AS open, count(at)::int AS due,
         coalesce(extract(epoch FROM now() - min(at)), 0)::float8 AS "oldestDueSeconds"
    FROM counted GROUP BY provider`;

/** Reads the deliveries of all providers that have open ones. Counts the `maxCounted` that have been due for longest. */
export async function readDeliveryBacklog(
  pool: Pick<Pool, 'query'>,
  maxCounted = MAX_BACKLOG_COUNTED,
): Promise<readonly DeliveryBacklog[]> {
  const { rows } = await pool.query(STATEMENT, [maxCounted]);
  return z.array(rowSchema).parse(rows);
}
