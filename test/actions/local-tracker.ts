import { randomUUID } from 'node:crypto';
import type { Chain } from '../../src/chains/chain';
import { createChainTable } from '../../src/chains/chain-table';
import type { TrackerDeps } from '../../src/actions/tracker/tracker-deps';
import { runTrackerOnce } from '../../src/actions/tracker/run-tracker-once';
import type { Database } from '../../src/persistence/database';
import { createRpc, type Rpc, type RpcOptions } from '../../src/rpc/rpc';

const silent = { info: () => undefined, warn: () => undefined };

/** RPC of one local chain. */
export function rpcOf(
  chain: Chain,
  rpcUrl: string,
  options: Pick<RpcOptions, 'maxResponseBytes' | 'timeoutMs'> = {},
): Rpc {
  const chains = { table: createChainTable([chain]), rpcUrls: new Map([[chain.chainId, rpcUrl]]) };
  return createRpc({ chains, log: silent, ...options });
}

/** Dependencies of the tracker of another replica, for one local chain. */
export function trackerOf(database: Database, chain: Chain, rpcUrl: string): TrackerDeps {
  const table = createChainTable([chain]);
  const rpc = rpcOf(chain, rpcUrl);
  return { database, rpc, chains: table, log: silent, replicaId: randomUUID() };
}

/** The tracker with so many confirmations that no transaction becomes final: a local chain mines by itself. */
export function withoutFinality(deps: TrackerDeps): TrackerDeps {
  const chains = createChainTable(deps.chains.all.map((chain) => ({ ...chain, confirmations: 1000 })));
  return { ...deps, chains };
}

/** Runs passes until the action has the status. */
export async function trackUntil(
  deps: TrackerDeps,
  { actionId, chainId, status }: { readonly actionId: string; readonly chainId: number; readonly status: string },
): Promise<void> {
  const deadline = Date.now() + 90_000;
  for (;;) {
    await runTrackerOnce(deps, chainId);
    const action = await deps.database.action.findUniqueOrThrow({ where: { id: actionId } });
    if (action.status === status) return;
    if (Date.now() > deadline) throw new Error(`the action is still ${action.status} ${action.substatus ?? ''}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Runs passes until the whole chain is read. */
export async function catchUp(deps: TrackerDeps, chainId: number): Promise<void> {
  while ((await runTrackerOnce(deps, chainId)) === 'behind');
}
