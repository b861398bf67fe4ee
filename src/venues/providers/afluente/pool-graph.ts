import type { Address } from 'viem';
import type { HopState } from '../../../pools/hop-state';
import { type Pool, type PoolKey, poolKey } from '../../../pools/pool';
import type { PoolSnapshots } from '../../../pools/pool-snapshots';
import type { PoolDirectory } from '../../../pools/pool-directory';
import type { SameChainTrade } from '../../same-chain-trade';
import { connectorsBetween } from './token-paths';
import type { RouterDeployment } from './router-deployment';

/** The pools between a few tokens, as of one block. */
export interface PoolGraph {
  /** The pools of a pair, in the direction of the trade. */
  hops(tokenIn: Address, tokenOut: Address): readonly HopState[];
}

export interface PoolGraphDeps {
  readonly pools: PoolDirectory;
  readonly snapshots: PoolSnapshots;
}

/** Reads the graph again after more ticks of its pools were loaded. */
export interface PoolGraphReader {
  /** Expected gas price of a transaction, in wei. */
  readonly feePerGas: bigint;
  read(signal: AbortSignal): Promise<PoolGraph>;
  /** Loads more ticks of the pools. */
  widen(pools: readonly Pool[], signal: AbortSignal): Promise<void>;
}

/**
 * The pools between the tokens of a trade, the connectors of its chain and the wrapped native coin, at the latest block.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function openPoolGraph(
  { pools, snapshots }: PoolGraphDeps,
  { trade, router }: { readonly trade: SameChainTrade; readonly router: RouterDeployment },
  signal: AbortSignal,
): Promise<PoolGraphReader> {
  const { chainId } = trade.chain;
  const keys = poolKeys(tokensOf(trade), router);
  const [located, snapshot] = await Promise.all([
    pools.locate(chainId, keys, signal),
    snapshots.latest(chainId, signal),
  ]);
  return {
    feePerGas: snapshot.feePerGas,
    read: async (until) => poolGraph(await snapshot.hops(located, until)),
    widen: (unresolved, until) => snapshot.widen(unresolved, until),
  };
}

function tokensOf({ chain, tokenIn, tokenOut }: SameChainTrade): readonly Address[] {
  const coin = chain.wrappedNative === undefined ? [] : [chain.wrappedNative];
  const connectors = connectorsBetween(chain.connectors, [tokenIn, tokenOut]);
  return [...new Set([tokenIn, tokenOut, ...connectors, ...coin])];
}

function poolKeys(tokens: readonly Address[], router: RouterDeployment): readonly PoolKey[] {
  const pairs = tokens.flatMap((one, index) => tokens.slice(index + 1).map((other) => [one, other] as const));
  return pairs.flatMap(([one, other]) => router.factories.map((each) => poolKey(each, one, other)));
}

export function poolGraph(hops: readonly HopState[]): PoolGraph {
  const byPair = new Map<string, HopState[]>();
  for (const hop of hops) {
    const name = pairName(hop.tokenIn, hop.tokenOut);
    const found = byPair.get(name);
    if (found === undefined) byPair.set(name, [hop]);
    else found.push(hop);
  }
  return { hops: (tokenIn, tokenOut) => byPair.get(pairName(tokenIn, tokenOut)) ?? [] };
}

const pairName = (tokenIn: Address, tokenOut: Address): string => `${tokenIn} to ${tokenOut}`;
