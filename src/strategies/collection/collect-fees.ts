import { advanceWrites } from './advance-registry-writes';
import { type CollectDeps, collectItems } from './collect-items';
import { planRuns } from './plan-runs';

/** No further batch is begun after this time: the next run of the job continues. */
const RUN_MS = 40_000;
/** The part of it in which entries are changed. */
const WRITES_MS = 15_000;

/** What one run of the job has done. */
export interface CollectedFees {
  readonly writes: number;
  readonly runs: number;
  readonly items: number;
}

/**
 * Collects fees on profit without a withdrawal: changes the entries on chain, plans the runs that are due, and collects from the
 * enrolled wallets. Any replica continues what another one has begun.
 */
export async function collectFees(deps: CollectDeps, signal: AbortSignal): Promise<CollectedFees> {
  const start = Date.now();
  const until = start + RUN_MS;
  await deps.strategies.ready();
  const writes = await advanceWrites(deps, start + WRITES_MS, signal);
  const runs = await planRuns(deps);
  const items = await collectItems(deps, until, signal);
  return { writes, runs, items };
}
