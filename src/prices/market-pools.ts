import { type Address, erc20Abi } from 'viem';
import type { Chain } from '../chains/chain';
import { contractRead } from '../rpc/contract-read';
import { type Pool, poolKey, type PoolKey, type PoolVenue, V3_FEES } from '../rpc/pools/pool';
import type { PoolDirectory } from '../rpc/pools/pool-directory';
import { liquidityRead, reservesRead, slot0Read, v2Depth, v3Depth } from '../rpc/pools/pool-state';
import type { Rpc } from '../rpc/rpc';
import type { Fraction } from './fraction';

export interface MarketDeps {
  readonly rpc: Pick<Rpc, 'serves' | 'multicall'>;
  readonly pools: PoolDirectory;
}

/** A token to be priced, and a token of known worth against which it may trade. */
export interface Pair {
  readonly token: Address;
  readonly anchor: Address;
}

/** What one pool says of a pair. */
export interface MarketPool extends Pair {
  /** Base units of the anchor for one base unit of the token, at the current price. */
  readonly price: Fraction;
  /** Base units of the anchor that really are in the pool and trade at about this price. */
  readonly depth: bigint;
  /** Venue and address, as in `uniswap-v3:0x…`. */
  readonly source: string;
}

/** All pools of the pairs that trade now, read in one eth_call once they are known. @throws PROVIDER_UNAVAILABLE */
export async function readMarketPools(
  deps: MarketDeps,
  { chain, pairs }: { readonly chain: Chain; readonly pairs: readonly Pair[] },
): Promise<readonly MarketPool[]> {
  const pairOf = new Map<PoolKey, Pair>();
  for (const pair of pairs) {
    for (const venue of venuesOf(chain)) pairOf.set(poolKey(venue, pair.token, pair.anchor), pair);
  }
  const located = await deps.pools.locate(chain.chainId, [...pairOf.keys()]);
  const known = new Map([...pairOf].map(([key, pair]) => [nameOf(key), pair]));
  const placed = located.flatMap((pool) => {
    const pair = known.get(nameOf(pool));
    return pair === undefined ? [] : [{ pool, pair }];
  });
  const v2 = placed.filter(({ pool }) => pool.fee === undefined);
  const v3 = placed.filter(({ pool }) => pool.fee !== undefined);
  if (placed.length === 0) return [];
  const answers = await deps.rpc.multicall(chain.chainId, [
    ...v2.map(({ pool }) => reservesRead(pool)),
    ...v3.map(({ pool }) => slot0Read(pool)),
    ...v3.map(({ pool }) => liquidityRead(pool)),
    ...v3.map(({ pool, pair }) => balanceRead(pair.anchor, pool)),
  ]);
  return [
    ...v2.flatMap((each, index) => fromReserves(each, answers[index])),
    ...v3.flatMap((each, index) => {
      const [slot0, liquidity, balance] = [0, 1, 2].map((part) => answers[v2.length + part * v3.length + index]);
      return fromCurrentPrice(each, { slot0, liquidity, balance });
    }),
  ];
}

function venuesOf({ uniswapV2, uniswapV3 }: Chain): readonly PoolVenue[] {
  const constantProduct = uniswapV2 === undefined ? [] : [{ factory: uniswapV2.factory, fee: undefined }];
  const concentrated = uniswapV3 === undefined ? [] : V3_FEES.map((fee) => ({ factory: uniswapV3.factory, fee }));
  return [...constantProduct, ...concentrated];
}

const nameOf = ({ factory, token0, token1, fee }: PoolKey): string => [factory, token0, token1, fee].join(':');

const balanceRead = (token: Address, pool: Pool) =>
  contractRead({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [pool.address] });

interface PlacedPool {
  readonly pool: Pool;
  readonly pair: Pair;
}

function fromReserves({ pool, pair }: PlacedPool, answer: unknown): readonly MarketPool[] {
  const [reserve0, reserve1] = Array.isArray(answer) ? (answer as readonly unknown[]) : [];
  if (typeof reserve0 !== 'bigint' || typeof reserve1 !== 'bigint') return [];
  const depth = v2Depth(pool, { reserve0, reserve1 }, pair.token);
  if (depth === undefined) return [];
  const price = { numerator: depth.reserveOut, denominator: depth.reserveIn };
  const anchorReserve = pair.anchor === pool.token0 ? reserve0 : reserve1;
  return [{ ...pair, price, depth: anchorReserve, source: `uniswap-v2:${pool.address}` }];
}

interface V3Answers {
  readonly slot0: unknown;
  readonly liquidity: unknown;
  readonly balance: unknown;
}

/**
 * Neither what a pool holds nor its liquidity is depth on its own: tokens may lie far from the price, and a sliver of
 * them right at the price is a lot of liquidity. The lesser of the two is.
 */
function fromCurrentPrice({ pool, pair }: PlacedPool, answers: V3Answers): readonly MarketPool[] {
  const { slot0, liquidity, balance } = answers;
  const sqrtPriceX96: unknown = Array.isArray(slot0) ? slot0[0] : undefined;
  if (typeof sqrtPriceX96 !== 'bigint' || typeof liquidity !== 'bigint' || typeof balance !== 'bigint') return [];
  const depth = v3Depth(pool, { sqrtPriceX96, liquidity }, pair.token);
  if (depth === undefined) return [];
  const nearby = depth.reserveOut >> 96n;
  const price = { numerator: depth.reserveOut, denominator: depth.reserveIn };
  return [{ ...pair, price, depth: nearby < balance ? nearby : balance, source: `uniswap-v3:${pool.address}` }];
}
