import type { Address } from 'viem';
import { tradingPaths } from '../../../chains/trading-paths';
import { poolKey, type PoolKey } from '../../../pools/pool';
import type { PoolDirectory } from '../../../pools/pool-directory';
import type { SpotHop } from '../../../pools/hop-state';
import type { PoolSnapshots } from '../../../pools/pool-snapshots';
import type { SameChainTrade } from '../../same-chain-trade';
import type { Reserves } from '../../../pools/constant-product';

/** One pool of a route, in the direction of the trade. */
export interface V2Hop extends Reserves, SpotHop {}
export type V2Route = readonly [V2Hop, ...V2Hop[]];

type Pair = readonly [Address, Address];

interface RouteDeps {
  readonly pools: PoolDirectory;
  readonly snapshots: PoolSnapshots;
}

/** Reads every path whose pools all exist and have reserves. @throws PROVIDER_UNAVAILABLE */
export async function readTradableRoutes(
  { pools, snapshots }: RouteDeps,
  { chain, tokenIn, tokenOut }: SameChainTrade,
  signal: AbortSignal,
): Promise<readonly V2Route[]> {
  const factory = chain.uniswapV2?.factory;
  if (factory === undefined) return [];
  const paths = tradingPaths(chain, tokenIn, tokenOut).map(pairsOf);
  const keyOf = ([a, b]: Pair): PoolKey => poolKey({ factory, fee: undefined }, a, b);
  const located = await pools.locate(chain.chainId, paths.flat().map(keyOf), signal);
  if (located.length === 0) return [];
  const snapshot = await snapshots.latest(chain.chainId, signal);
  const hops = new Map<string, V2Hop>();
  for (const hop of await snapshot.spotHops(located, signal)) {
    const reserves = { reserveIn: hop.balanceIn, reserveOut: hop.balanceOut };
    hops.set(pairKey([hop.tokenIn, hop.tokenOut]), { ...hop, ...reserves });
  }
  return paths.flatMap((pairs) => {
    const [first, ...others] = pairs.flatMap((pair) => hops.get(pairKey(pair)) ?? []);
    return first === undefined || others.length + 1 < pairs.length ? [] : [[first, ...others] as const];
  });
}

const pairKey = ([tokenIn, tokenOut]: Pair): string => `${tokenIn} to ${tokenOut}`;

const pairsOf = (path: readonly Address[]): readonly Pair[] =>
  path.slice(1).map((token, index): Pair => [path[index] ?? token, token]);
