import type { Address } from 'viem';
import { tradingPaths } from '../../../chains/trading-paths';
import { type Pool, poolKey, type PoolKey } from '../../../pools/pool';
import type { PoolDirectory } from '../../../pools/pool-directory';
import { reservesRead, v2Depth, type V2State } from '../../../pools/pool-state';
import type { StockedPool } from '../../../pools/spot-limit';
import type { Rpc } from '../../../rpc/rpc';
import type { SameChainTrade } from '../../same-chain-trade';
import type { Reserves } from '../../../pools/constant-product';

/** One pool of a route, in the direction of the trade. */
export interface Hop extends Reserves, StockedPool {
  readonly pool: Pool;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
}
export type Route = readonly [Hop, ...Hop[]];

type Pair = readonly [Address, Address];

interface RouteDeps {
  readonly rpc: Pick<Rpc, 'multicall'>;
  readonly pools: PoolDirectory;
}

/** Every path of which all pools exist and hold something, with what they hold. @throws PROVIDER_UNAVAILABLE */
export async function tradableRoutes(
  { rpc, pools }: RouteDeps,
  { chain, tokenIn, tokenOut }: SameChainTrade,
  signal: AbortSignal,
): Promise<readonly Route[]> {
  const factory = chain.uniswapV2?.factory;
  if (factory === undefined) return [];
  const paths = tradingPaths(chain, tokenIn, tokenOut).map(pairsOf);
  const keyOf = ([a, b]: Pair): PoolKey => poolKey({ factory, fee: undefined }, a, b);
  const located = await pools.locate(chain.chainId, paths.flat().map(keyOf), signal);
  if (located.length === 0) return [];
  const states = await rpc.multicall(chain.chainId, located.map(reservesRead), { signal });
  const hops = new Map<string, Hop>();
  located.forEach((pool, index) => {
    const [reserve0, reserve1] = states[index] ?? [0n, 0n];
    for (const token of [pool.token0, pool.token1]) {
      const hop = hopFrom(token, pool, { reserve0, reserve1 });
      if (hop !== undefined) hops.set(nameOf([hop.tokenIn, hop.tokenOut]), hop);
    }
  });
  return paths.flatMap((pairs) => {
    const [first, ...others] = pairs.flatMap((pair) => hops.get(nameOf(pair)) ?? []);
    return first === undefined || others.length + 1 < pairs.length ? [] : [[first, ...others] as const];
  });
}

const nameOf = ([tokenIn, tokenOut]: Pair): string => `${tokenIn} to ${tokenOut}`;

const pairsOf = (path: readonly Address[]): readonly Pair[] =>
  path.slice(1).map((token, index): Pair => [path[index] ?? token, token]);

function hopFrom(tokenIn: Address, pool: Pool, state: V2State): Hop | undefined {
  const depth = v2Depth(pool, state, tokenIn);
  if (depth === undefined) return undefined;
  const upwards = tokenIn === pool.token0;
  const [reserveIn, reserveOut] = upwards ? [state.reserve0, state.reserve1] : [state.reserve1, state.reserve0];
  const tokenOut = upwards ? pool.token1 : pool.token0;
  return { pool, tokenIn, tokenOut, reserveIn, reserveOut, depth, stockOut: reserveOut };
}
