import type { Pool } from 'pg';
import { sleep } from '../async/sleep';
import type { JobLog } from './worker-logger';

const RETRY_MS = 1000;

/** Stands for the result of a query that was given up: the caller is stopping and ignores it. */
const NO_ROWS = { rows: [], rowCount: 0 };

/**
 * The pool with a `query` that waits for the database instead of failing, until `signal` aborts.
 *
 * graphile-worker schedules jobs with `query` alone, and its promise for a failed schedule has a branch that nothing
 * handles (`cron.promise.finally`): one failed query, for example at the start of a minute, would end the process.
 *
 * @see https://github.com/graphile/worker/blob/main/src/runner.ts
 */
export function retryingPool(pool: Pool, deps: { readonly signal: AbortSignal; readonly log: JobLog }): Pool {
  const run = pool.query.bind(pool) as Query;
  const query: Query = (...statement) => queryWithRetries(() => run(...statement), deps);
  return new Proxy(pool, {
    get: (target, name): unknown => (name === 'query' ? query : Reflect.get(target, name)),
  });
}

type Query = (...statement: unknown[]) => Promise<unknown>;

async function queryWithRetries(
  query: () => Promise<unknown>,
  { signal, log }: { readonly signal: AbortSignal; readonly log: JobLog },
): Promise<unknown> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      return await query();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (failures === 0) log.warn({ reason }, 'scheduled jobs wait for the database');
      await sleep(RETRY_MS, signal);
    }
  }
  return NO_ROWS;
}
