import type { Pool } from 'pg';
import { z } from 'zod';

/** Rows that are counted at most. */
const MAX_COUNTED = 20_000;

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

const STATEMENT = `
  WITH counted AS (
    SELECT provider, "nextPollAt" AS at, "nextPollAt" <= now() AND coalesce("leasedUntil" <= now(), true) AS due
      FROM "Delivery" WHERE "nextPollAt" IS NOT NULL LIMIT ${String(MAX_COUNTED)})
  SELECT provider, count(*)::int AS open, count(*) FILTER (WHERE due)::int AS due,
         coalesce(extract(epoch FROM now() - min(at) FILTER (WHERE due)), 0)::float8 AS "oldestDueSeconds"
    FROM counted GROUP BY provider`;

/** Reads the deliveries of all providers that have open ones. Counts at most 20,000. */
export async function readDeliveryBacklog(pool: Pick<Pool, 'query'>): Promise<readonly DeliveryBacklog[]> {
  const { rows } = await pool.query(STATEMENT);
  return z.array(rowSchema).parse(rows);
}
