import type { Pool } from 'pg';
import { z } from 'zod';

/** How far the tracker of a chain is. */
export interface TrackerState {
  readonly chainId: number;
  /** The newest block that was read; `null` before the first one. */
  readonly blockNumber: number | null;
  /**
   * Time since all blocks had been read, or all references been searched for; `null` before the first time, and while
   * blocks have to be read again after a reorganisation.
   */
  readonly lagSeconds: number | null;
}

/** Items of a chain that could not be handled yet. */
export interface QuarantinedItems {
  readonly chainId: number;
  readonly stage: string;
  readonly count: number;
}

const stateSchema = z.object({
  chainId: z.number(),
  blockNumber: z.number().nullable(),
  lagSeconds: z.number().nullable(),
});
const quarantinedSchema = z.object({ chainId: z.number(), stage: z.string(), count: z.number() });

// GREATEST skips nulls: alone it would make a chain that was never read one without a lag.
const STATES = `
  SELECT tracker."chainId"::float8 AS "chainId",
         (SELECT max(number) FROM "TrackedBlock" AS block WHERE block."chainId" = tracker."chainId")::float8 AS "blockNumber",
         CASE WHEN "caughtUpAt" IS NOT NULL THEN greatest(0, extract(epoch FROM now() - "caughtUpAt"))::float8 END
           AS "lagSeconds"
    FROM "ChainTracker" AS tracker`;

/** The trackers of all chains that were started. */
export async function readTrackerStates(pool: Pick<Pool, 'query'>): Promise<readonly TrackerState[]> {
  const { rows } = await pool.query(STATES);
  return z.array(stateSchema).parse(rows);
}

const QUARANTINED = `
  SELECT "chainId"::float8 AS "chainId", stage, count(*)::int AS count
    FROM (SELECT "chainId", stage FROM "Quarantine" LIMIT 20000) AS counted GROUP BY 1, 2`;

/** The items in quarantine by chain and stage. Counts at most 20,000. */
export async function readQuarantined(pool: Pick<Pool, 'query'>): Promise<readonly QuarantinedItems[]> {
  const { rows } = await pool.query(QUARANTINED);
  return z.array(quarantinedSchema).parse(rows);
}
