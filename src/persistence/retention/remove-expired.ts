import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { describeFailure } from '../../errors/describe-failure';
import type { RetentionRule } from './retention-rule';
import { retentionRules, type RetentionSettings } from './retention-rules';

/** Rows that one statement removes. */
const BATCH_SIZE = 1000;
/** Batches of one rule in one run. The next run removes the rest. */
const MAX_BATCHES = 20;

/** Time after which a rule with smaller batches makes no more than the others. */
const RULE_MS = 20_000;

export interface RetentionDeps {
  readonly pool: Pick<Pool, 'query'>;
  readonly settings: RetentionSettings;
  readonly log?: Pick<Logger, 'info' | 'warn'>;
  readonly batchSize?: number;
  readonly maxBatches?: number;
}

/** Number of rows that were removed, by the name of the rule. Rules without any are left out. */
export type RemovedRows = Readonly<Record<string, number>>;

/**
 * Removes the rows that are no longer needed, in batches, each in a transaction of its own. A run is bounded. Any number of
 * processes may run it: rows that another one removes are skipped. A rule that fails does not stop the others.
 *
 * @throws the first failure of a rule, after all rules were applied
 */
export async function removeExpired(deps: RetentionDeps, signal: AbortSignal): Promise<RemovedRows> {
  const removed: Record<string, number> = {};
  const failures: unknown[] = [];
  for (const rule of retentionRules(deps.settings)) {
    try {
      const count = await applyRule(deps, rule, signal);
      if (count > 0) removed[rule.name] = count;
    } catch (error) {
      deps.log?.warn({ rule: rule.name, cause: describeFailure(error) }, 'a rule for expired rows failed');
      failures.push(error);
    }
  }
  if (Object.keys(removed).length > 0) deps.log?.info({ removed }, 'rows that are no longer needed were removed');
  if (failures.length > 0) throw failures[0];
  return removed;
}

async function applyRule(
  { pool, batchSize = BATCH_SIZE, maxBatches = MAX_BATCHES }: RetentionDeps,
  { seconds, due, lock, remove, batchSize: ownSize = batchSize }: RetentionRule,
  signal: AbortSignal,
): Promise<number> {
  const size = Math.min(ownSize, batchSize);
  // As many rows as those of other rules, where they take few with them.
  const batches = Math.ceil((maxBatches * batchSize) / size);
  const until = Date.now() + RULE_MS;
  const statement = `WITH due AS MATERIALIZED (${due} LIMIT $2 ${lock}) ${remove}`;
  let total = 0;
  for (let batch = 0; batch < batches && !signal.aborted && (batch < maxBatches || Date.now() < until); batch += 1) {
    const count = (await pool.query(statement, [seconds, size])).rowCount ?? 0;
    total += count;
    if (count < size) break;
  }
  return total;
}
