import type { Pool } from 'pg';

/** Changes that one statement folds. */
const BATCH_SIZE = 10_000;
/** Statements of one run. The next run folds the rest. */
const MAX_BATCHES = 100;

export interface FoldDeps {
  readonly pool: Pick<Pool, 'query'>;
  readonly batchSize?: number;
}

/**
 * Adds the changes of the counters of actions to the counters, in batches. Any number of processes may run it: changes that
 * another one folds are skipped, and counters are locked in the order of their keys.
 */
export async function foldActionCounts({ pool, batchSize = BATCH_SIZE }: FoldDeps, signal: AbortSignal): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1) {
    const { rows } = await pool.query<{ folded: number }>(FOLD, [batchSize]);
    if ((rows[0]?.folded ?? 0) < batchSize) return;
  }
}

const KEY = `"customerId", wallet, "isDraft", status, type, "isFinished"`;

const FOLD = `
  WITH due AS MATERIALIZED (
    SELECT "customerId", wallet, id FROM "ActionCountChange" LIMIT $1 FOR UPDATE SKIP LOCKED
  ), removed AS (
    DELETE FROM "ActionCountChange" AS old USING due
     WHERE old."customerId" = due."customerId" AND old.wallet = due.wallet AND old.id = due.id
    RETURNING old.*
  ), folded AS (
    INSERT INTO "ActionCount" AS counter (${KEY}, count)
    SELECT ${KEY}, sum(change) FROM removed GROUP BY ${KEY} HAVING sum(change) <> 0 ORDER BY ${KEY}
        ON CONFLICT (${KEY}) DO UPDATE SET count = counter.count + excluded.count
  )
  SELECT count(*)::int AS folded FROM removed`;
