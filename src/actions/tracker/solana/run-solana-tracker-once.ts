import { holdLease, renewingLease } from '../chain-lease';
import { openWork } from '../open-work';
import type { PassResult } from '../run-tracker-once';
import { findExecutions } from './find-executions';
import { lateReferences } from './late-references';
import { openReferences } from './open-references';
import { recordExecutions } from './record-executions';
import { confirmOrFailSolanaSteps } from './confirm-or-fail-solana-steps';
import type { SolanaTrackerDeps } from './solana-tracker-deps';

/**
 * Searches for the transactions that name the references of live and watched actions, records those that execute them, and
 * ends the actions whose transactions are final. Sends no request to a chain that no action waits for.
 *
 * @throws when the chain or the database does not respond. A pass leaves nothing half done: the next one repeats it.
 */
export async function runSolanaTrackerOnce(deps: SolanaTrackerDeps, chainId: number): Promise<PassResult> {
  if (!(await holdLease(deps, chainId))) return 'elsewhere';
  return renewingLease(deps, chainId, () => runPass(deps, chainId));
}

async function runPass(deps: SolanaTrackerDeps, chainId: number): Promise<PassResult> {
  const { database, schedule } = deps;
  const startedAt = await databaseTime(deps);
  // In this order: an action that fails in between is in neither list, instead of both.
  const late = await lateReferences(deps, chainId);
  const live = await openReferences(deps, chainId);
  const searched = [...schedule.due(live, startedAt), ...late];
  const findings = await findExecutions(deps, chainId, searched);
  await recordExecutions(deps, { chainId, startedAt, live, searched, ...findings });
  if ((await openWork(database, chainId)) !== 'open') return 'idle';
  await confirmOrFailSolanaSteps(deps, chainId);
  return 'caughtUp';
}

async function databaseTime({ database }: Pick<SolanaTrackerDeps, 'database'>): Promise<Date> {
  const [row] = await database.$queryRaw<{ now: Date }[]>`SELECT now() AS now`;
  return row?.now ?? new Date(0);
}
