import { type Address, erc20Abi } from 'viem';
import { tradingPaths } from '../../../chains/trading-paths';
import { contractRead } from '../../../rpc/contract-read';
import { type Pool, poolKey, V3_FEES } from '../../../pools/pool';
import type { PoolDirectory } from '../../../pools/pool-directory';
import { liquidityRead, slot0Read, v3Depth } from '../../../pools/pool-state';
import type { Rpc } from '../../../rpc/rpc';
import type { SameChainTrade } from '../../same-chain-trade';
import type { Hop, Route } from './route';

interface CandidateDeps {
  readonly rpc: Pick<Rpc, 'multicall'>;
  readonly pools: PoolDirectory;
}

/** Pools of one pair that are tried as part of a longer route; a direct trade tries all fees. */
const POOLS_PER_HOP = 2;

/** Two tokens of a path, and the one by whose amount the pools between them are ranked. */
interface Pair {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /** The connector: anyone can fill a pool with a token of their own, nobody with one that the operator vouches for. */
  readonly ranking: Address | undefined;
}

/** Routes of pools that have liquidity at their current price: direct over every fee, and through each connector. */
export async function candidateRoutes(
  deps: CandidateDeps,
  { chain, tokenIn, tokenOut }: SameChainTrade,
  signal: AbortSignal,
): Promise<readonly Route[]> {
  const factory = chain.uniswapV3?.factory;
  if (factory === undefined) return [];
  const paths = tradingPaths(chain, tokenIn, tokenOut).map(pairsOf);
  const pairs = paths.flat();
  const keys = pairs.flatMap((pair) => V3_FEES.map((fee) => poolKey({ factory, fee }, pair.tokenIn, pair.tokenOut)));
  const located = await deps.pools.locate(chain.chainId, keys, signal);
  const hops = await liveHops(deps, { chainId: chain.chainId, pairs, located }, signal);
  return paths.flatMap((path) => combinations(path.map((pair) => hops.get(pair) ?? [])));
}

function pairsOf(path: readonly Address[]): readonly Pair[] {
  const [tokenIn, connector, tokenOut] = path;
  if (tokenIn === undefined || connector === undefined) return [];
  if (tokenOut === undefined) return [{ tokenIn, tokenOut: connector, ranking: undefined }];
  return [
    { tokenIn, tokenOut: connector, ranking: connector },
    { tokenIn: connector, tokenOut, ranking: connector },
  ];
}

interface HopQuestion {
  readonly chainId: number;
  readonly pairs: readonly Pair[];
  readonly located: readonly Pool[];
}

/** For each pair its pools with liquidity, the best stocked first. */
async function liveHops(
  { rpc }: CandidateDeps,
  { chainId, pairs, located }: HopQuestion,
  signal: AbortSignal,
): Promise<ReadonlyMap<Pair, readonly Hop[]>> {
  const placed = pairs.flatMap((pair) => located.filter((pool) => joins(pool, pair)).map((pool) => ({ pair, pool })));
  if (placed.length === 0) return new Map();
  const reads = placed.map(({ pair, pool }) => {
    const stocks = [stockRead(pair.tokenOut, pool), stockRead(pair.ranking ?? pair.tokenOut, pool)] as const;
    return [slot0Read(pool), liquidityRead(pool), ...stocks] as const;
  });
  const answers = await rpc.multicall(chainId, reads.flat(), { signal });
  const hops = new Map<Pair, RankedHop[]>(pairs.map((pair) => [pair, []]));
  placed.forEach(({ pair, pool }, index) => {
    const hop = hopOf({ pair, pool }, answers.slice(index * READS_PER_POOL, (index + 1) * READS_PER_POOL));
    if (hop !== undefined) hops.get(pair)?.push(hop);
  });
  for (const [pair, found] of hops) {
    found.sort((one, other) => (one.rank < other.rank ? 1 : -1));
    if (pair.ranking !== undefined) found.splice(POOLS_PER_HOP);
  }
  return hops;
}

const joins = ({ token0, token1 }: Pool, { tokenIn, tokenOut }: Pair): boolean =>
  (token0 === tokenIn && token1 === tokenOut) || (token0 === tokenOut && token1 === tokenIn);

const stockRead = (token: Address, pool: Pool) =>
  contractRead({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [pool.address] });

/** A hop, and what the pool holds of the token by which pools are ranked. */
interface RankedHop extends Hop {
  readonly rank: bigint;
}
const READS_PER_POOL = 4;

function hopOf(
  { pair, pool }: { readonly pair: Pair; readonly pool: Pool },
  [slot0, liquidity, stockOut, rank]: readonly unknown[],
): RankedHop | undefined {
  const sqrtPriceX96: unknown = Array.isArray(slot0) ? slot0[0] : undefined;
  if (typeof sqrtPriceX96 !== 'bigint' || typeof liquidity !== 'bigint' || pool.fee === undefined) return undefined;
  const { tokenIn, tokenOut } = pair;
  const depth = v3Depth(pool, { sqrtPriceX96, liquidity }, tokenIn);
  if (depth === undefined || typeof stockOut !== 'bigint' || typeof rank !== 'bigint') return undefined;
  return { pool, tokenIn, tokenOut, fee: pool.fee, depth, stockOut, rank };
}

function combinations(choices: readonly (readonly Hop[])[]): readonly Route[] {
  const [first = [], second] = choices;
  if (second === undefined) return first.map((hop): Route => [hop]);
  return first.flatMap((hop) => second.map((next): Route => [hop, next]));
}
