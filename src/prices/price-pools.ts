import { type Address, erc20Abi } from 'viem';
import type { Chain } from '../chains/chain';
import { serviceError } from '../errors/service-error';
import { headReads } from '../rpc/block-reads/block-head';
import { contractRead, type ContractRead } from '../rpc/contract-read';
import { type Pool, poolKey, type PoolKey, type PoolFactory, V3_FEES } from '../pools/pool';
import type { PoolDirectory } from '../pools/pool-directory';
import { liquidityRead, reservesRead, slot0Read, v2Depth, v3Depth } from '../pools/pool-state';
import type { Rpc } from '../rpc/rpc';
import { minBigInt } from '../money/min-max';
import type { Fraction } from './fraction';

export interface PricePoolDeps {
  readonly rpc: Pick<Rpc, 'serves' | 'multicall'>;
  readonly pools: PoolDirectory;
}

/** A token to be priced, and an already priced token that it may trade against. */
export interface Pair {
  readonly token: Address;
  readonly anchor: Address;
}

/** Price and depth of a pair in one pool. */
export interface PricePool extends Pair {
  /** Base units of the anchor for one base unit of the token, at the current price. */
  readonly price: Fraction;
  /** Base units of the anchor that trade at about this price. */
  readonly depth: bigint;
  /** Protocol and address, as in `uniswap-v3:0x…`. */
  readonly source: string;
}

/** Pools as of one block. */
export interface PricePools {
  readonly pools: readonly PricePool[];
  /** Unix seconds of the block; `undefined` when no pool was read. */
  readonly readAt: number | undefined;
}

interface PricePoolRequest {
  readonly chain: Chain;
  readonly pairs: readonly Pair[];
  readonly signal?: AbortSignal;
}

/** All pools of the pairs with liquidity, read at one block. @throws PROVIDER_UNAVAILABLE */
export async function readPricePools(
  deps: PricePoolDeps,
  { chain, pairs, signal }: PricePoolRequest,
): Promise<PricePools> {
  const pairOf = new Map<PoolKey, Pair>();
  for (const pair of pairs) {
    for (const factory of factoriesOf(chain)) pairOf.set(poolKey(factory, pair.token, pair.anchor), pair);
  }
  const located = await deps.pools.locate(chain.chainId, [...pairOf.keys()], signal);
  const pairByKey = new Map([...pairOf].map(([key, pair]) => [keyText(key), pair]));
  const paired = located.flatMap((pool) => {
    const pair = pairByKey.get(keyText(pool));
    return pair === undefined ? [] : [{ pool, pair }];
  });
  const v2 = paired.filter(({ pool }) => pool.fee === undefined);
  const v3 = paired.filter(({ pool }) => pool.fee !== undefined);
  if (paired.length === 0) return { pools: [], readAt: undefined };
  const reads = [
    ...v2.map(({ pool }) => reservesRead(pool)),
    ...v3.map(({ pool }) => slot0Read(pool)),
    ...v3.map(({ pool }) => liquidityRead(pool)),
    ...v3.map(({ pool, pair }) => balanceRead(pair.anchor, pool)),
  ];
  const { results, readAt } = await readAtOneBlock(deps, { chain, reads, signal });
  const pools = [
    ...v2.flatMap((each, index) => fromReserves(each, results[index])),
    ...v3.flatMap((each, index) => {
      const [slot0, liquidity, balance] = [0, 1, 2].map((part) => results[v2.length + part * v3.length + index]);
      return fromCurrentPrice(each, { slot0, liquidity, balance });
    }),
  ];
  return { pools, readAt };
}

/** Reads of one eth_call, besides number and time of its block. */
const MAX_READS_PER_CALL = 398;

interface BlockPart {
  readonly results: readonly unknown[];
  readonly number: unknown;
  readonly time: unknown;
}

interface BlockRead {
  readonly chain: Chain;
  readonly reads: readonly ContractRead<unknown>[];
  readonly signal: AbortSignal | undefined;
}

/** The first call reads the latest block, and further ones the same block: prices of two blocks are not compared. */
async function readAtOneBlock(
  { rpc }: PricePoolDeps,
  { chain, reads, signal }: BlockRead,
): Promise<Pick<PricePools, 'readAt'> & { readonly results: readonly unknown[] }> {
  const readPart = async (start: number, blockNumber?: bigint): Promise<BlockPart> => {
    const own = reads.slice(start, start + MAX_READS_PER_CALL);
    const all = await rpc.multicall(chain.chainId, [...own, ...headReads(chain)], { signal, blockNumber });
    return { results: all.slice(0, own.length), number: all[own.length], time: all[own.length + 1] };
  };
  const first = await readPart(0);
  const { number, time } = first;
  const starts: number[] = [];
  for (let start = MAX_READS_PER_CALL; start < reads.length; start += MAX_READS_PER_CALL) starts.push(start);
  const pinned = typeof number === 'bigint' ? number : undefined;
  if (starts.length > 0 && pinned === undefined) throw otherBlock(chain);
  const readPinned = async (start: number): Promise<BlockPart> => {
    const part = await readPart(start, pinned);
    // Some nodes execute a call at the next block when that arrives in the meantime.
    if (part.number !== number || part.time !== time) throw otherBlock(chain);
    return part;
  };
  // Repeated once: another node may have the block.
  const further = await Promise.all(starts.map((start) => readPinned(start).catch(() => readPinned(start))));
  return {
    results: [first, ...further].flatMap(({ results }) => results),
    readAt: typeof time === 'bigint' ? Number.parseInt(time.toString(), 10) : undefined,
  };
}

const otherBlock = ({ slug }: Chain) =>
  serviceError('PROVIDER_UNAVAILABLE', { provider: `${slug} RPC`, reason: 'it did not read all pools at one block' });

function factoriesOf({ uniswapV2, uniswapV3 }: Chain): readonly PoolFactory[] {
  const constantProduct = uniswapV2 === undefined ? [] : [{ factory: uniswapV2.factory, fee: undefined }];
  const concentrated = uniswapV3 === undefined ? [] : V3_FEES.map((fee) => ({ factory: uniswapV3.factory, fee }));
  return [...constantProduct, ...concentrated];
}

const keyText = ({ factory, token0, token1, fee }: PoolKey): string => [factory, token0, token1, fee].join(':');

const balanceRead = (token: Address, pool: Pool) =>
  contractRead({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [pool.address] });

interface PairedPool {
  readonly pool: Pool;
  readonly pair: Pair;
}

function fromReserves({ pool, pair }: PairedPool, result: unknown): readonly PricePool[] {
  const [reserve0, reserve1] = Array.isArray(result) ? (result as readonly unknown[]) : [];
  if (typeof reserve0 !== 'bigint' || typeof reserve1 !== 'bigint') return [];
  const depth = v2Depth(pool, { reserve0, reserve1 }, pair.token);
  if (depth === undefined) return [];
  const price = { numerator: depth.reserveOut, denominator: depth.reserveIn };
  const anchorReserve = pair.anchor === pool.token0 ? reserve0 : reserve1;
  return [{ ...pair, price, depth: anchorReserve, source: `uniswap-v2:${pool.address}` }];
}

interface V3Results {
  readonly slot0: unknown;
  readonly liquidity: unknown;
  readonly balance: unknown;
}

/**
 * The depth is the smaller of the balance and the virtual reserve. The balance alone includes tokens far from the price,
 * and the virtual reserve alone is large for a tiny position at the price.
 */
function fromCurrentPrice({ pool, pair }: PairedPool, results: V3Results): readonly PricePool[] {
  const { slot0, liquidity, balance } = results;
  const sqrtPriceX96: unknown = Array.isArray(slot0) ? slot0[0] : undefined;
  if (typeof sqrtPriceX96 !== 'bigint' || typeof liquidity !== 'bigint' || typeof balance !== 'bigint') return [];
  const depth = v3Depth(pool, { sqrtPriceX96, liquidity }, pair.token);
  if (depth === undefined) return [];
  const virtualReserve = depth.reserveOut >> 96n;
  const price = { numerator: depth.reserveOut, denominator: depth.reserveIn };
  return [{ ...pair, price, depth: minBigInt(virtualReserve, balance), source: `uniswap-v3:${pool.address}` }];
}
