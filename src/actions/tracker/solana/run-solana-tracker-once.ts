import { holdLease } from '../chain-lease';
import { openWork } from '../open-work';
import type { PassResult } from '../run-tracker-once';
import { findExecutions } from './find-executions';
import { openReferences } from './open-references';
import { recordExecutions } from './record-executions';
import { settleSolanaSteps } from './settle-solana-steps';
import type { SolanaTrackerDeps } from './solana-tracker-deps';

/**
 * Looks for the transactions that name the references of open actions, notes those that execute them, and ends the
 * actions whose transactions are final. A chain that nobody waits for is not asked.
 *
 * @throws when the chain or the database could not be asked. Nothing of a pass is half done: the next one repeats it.
 */
export async function runSolanaTrackerOnce(deps: SolanaTrackerDeps, chainId: number): Promise<PassResult> {
  const { database, looks } = deps;
  if (!(await holdLease(deps, chainId))) return 'elsewhere';
  const startedAt = await databaseTime(deps);
  const open = await openReferences(database, chainId);
  const looked = looks.due(open, startedAt);
  const found = await findExecutions(deps, chainId, looked);
  await recordExecutions(deps, { chainId, startedAt, open, looked, found });
  if ((await openWork(database, chainId)) !== 'open') return 'idle';
  await settleSolanaSteps(deps, chainId);
  return 'caughtUp';
}

async function databaseTime({ database }: Pick<SolanaTrackerDeps, 'database'>): Promise<Date> {
  const [row] = await database.$queryRaw<{ now: Date }[]>`SELECT now() AS now`;
  return row?.now ?? new Date(0);
}
