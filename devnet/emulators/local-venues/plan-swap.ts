import type { Address } from 'viem';
import { CANONICAL } from '../../canonical-addresses';
import type { VenueChain } from './venue-chain';
import { factoryAbi, pathOf, quoterAbi, type SwapPath, v2RouterAbi, v3FactoryAbi } from './uniswap';

/** A part of a swap that takes one way. Amounts in base units. */
export interface SwapLeg {
  readonly path: SwapPath;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

export interface PlannedSwap {
  readonly legs: readonly SwapLeg[];
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

export interface SwapRequest {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
}

const FEES = [100, 500, 3000, 10_000];
/** In percent: how much of an amount the better of two ways gets. */
const SPLITS = [75n, 50n];

/** The best way to swap one ERC-20 for another, over one path or split over two; `undefined` when there is none. */
export async function planSwap(chain: VenueChain, request: SwapRequest): Promise<PlannedSwap | undefined> {
  const paths = await pathsOf(chain, request);
  const priced = await withPrices(chain, paths, request.amountIn);
  const [best, ...others] = priced.toSorted((one, other) => (one.amountOut > other.amountOut ? -1 : 1));
  if (best === undefined) return undefined;
  const second = others.find(({ path }) => isDisjoint(path, best.path));
  const whole = { legs: [best], amountIn: request.amountIn, amountOut: best.amountOut };
  return second === undefined ? whole : better(whole, await split(chain, [best.path, second.path], request));
}

const better = (one: PlannedSwap, others: readonly PlannedSwap[]): PlannedSwap =>
  others.reduce((best, other) => (other.amountOut > best.amountOut ? other : best), one);

async function split(
  chain: VenueChain,
  [first, second]: readonly [SwapPath, SwapPath],
  { amountIn }: SwapRequest,
): Promise<readonly PlannedSwap[]> {
  const plans = SPLITS.map(async (percent) => {
    const larger = (amountIn * percent) / 100n;
    const [one] = await withPrices(chain, [first], larger);
    const [other] = await withPrices(chain, [second], amountIn - larger);
    if (one === undefined || other === undefined) return [];
    return [{ legs: [one, other], amountIn, amountOut: one.amountOut + other.amountOut }];
  });
  return (await Promise.all(plans)).flat();
}

/** Ways that share no pool, so that neither moves the other's price. */
const isDisjoint = (one: SwapPath, other: SwapPath): boolean => {
  const taken = new Set(poolsOf(one));
  return poolsOf(other).every((pool) => !taken.has(pool));
};

const poolsOf = ({ venue, tokens, fees }: SwapPath): readonly string[] =>
  tokens.slice(1).map((token, hop) => [venue, fees[hop] ?? 0, ...[token, tokens[hop]].toSorted()].join());

async function pathsOf(chain: VenueChain, { tokenIn, tokenOut }: SwapRequest): Promise<readonly SwapPath[]> {
  const connectors = chain.connectors.filter((token) => token !== tokenIn && token !== tokenOut);
  const ways = [[tokenIn, tokenOut], ...connectors.map((connector) => [tokenIn, connector, tokenOut])];
  const found = await Promise.all(ways.map((tokens) => pathsAlong(chain, tokens)));
  return found.flat();
}

async function pathsAlong(chain: VenueChain, tokens: readonly Address[]): Promise<readonly SwapPath[]> {
  const hops = tokens.slice(1).map((token, hop) => [tokens[hop] ?? token, token] as const);
  const [fees, hasV2] = await Promise.all([
    Promise.all(hops.map((hop) => feesOfPools(chain, hop))),
    Promise.all(hops.map((hop) => hasPair(chain, hop))),
  ]);
  const combinations = fees.reduce<readonly (readonly number[])[]>(
    (before, of) => before.flatMap((taken) => of.map((fee) => [...taken, fee])),
    [[]],
  );
  const v3 = combinations.map((taken) => ({ venue: 'v3' as const, tokens, fees: taken }));
  return hasV2.includes(false) ? v3 : [...v3, { venue: 'v2', tokens, fees: [] }];
}

type Pair = readonly [Address, Address];

/** Pools are only ever added, and on the local chains not even that. */
const known = new Map<string, Promise<readonly number[]>>();

function feesOfPools(chain: VenueChain, [one, other]: Pair): Promise<readonly number[]> {
  const key = [chain.rpcUrl, ...[one, other].toSorted()].join();
  const found = known.get(key);
  if (found !== undefined) return found;
  const reading = readFees(chain, [one, other]);
  known.set(key, reading);
  reading.catch(() => known.delete(key)); // the next request reads again
  return reading;
}

async function readFees({ client, uniswapV3 }: VenueChain, [one, other]: Pair): Promise<readonly number[]> {
  const contracts = FEES.map((fee) => ({
    address: uniswapV3.factory,
    abi: v3FactoryAbi,
    functionName: 'getPool' as const,
    args: [one, other, fee] as const,
  }));
  const pools = await client.multicall({ contracts, multicallAddress: CANONICAL.multicall3, allowFailure: false });
  return FEES.filter((_, index) => BigInt(pools[index] ?? 0) !== 0n);
}

async function hasPair({ client, uniswapV2 }: VenueChain, pair: Pair): Promise<boolean> {
  const call = { address: uniswapV2.factory, abi: factoryAbi, functionName: 'getPair' as const };
  return BigInt(await client.readContract({ ...call, args: [...pair] })) !== 0n;
}

/** Prices of square roots at which a pool has nothing left on one side. */
const EXHAUSTED: ReadonlySet<bigint> = new Set([
  4_295_128_740n,
  1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341n,
]);

/** The paths that fill the whole amount, with what they give. */
async function withPrices(
  chain: VenueChain,
  paths: readonly SwapPath[],
  amountIn: bigint,
): Promise<readonly SwapLeg[]> {
  if (amountIn === 0n) return [];
  const legs = await Promise.all(paths.map((path) => price(chain, path, amountIn).catch(() => undefined)));
  return legs.flatMap((amountOut, index) => {
    const path = paths[index];
    return path === undefined || amountOut === undefined || amountOut === 0n ? [] : [{ path, amountIn, amountOut }];
  });
}

async function price(
  { client, uniswapV2, uniswapV3 }: VenueChain,
  path: SwapPath,
  amountIn: bigint,
): Promise<bigint | undefined> {
  if (path.venue === 'v2') {
    const args = [amountIn, [...path.tokens]] as const;
    const call = { address: uniswapV2.router, abi: v2RouterAbi, functionName: 'getAmountsOut' as const };
    return (await client.readContract({ ...call, args })).at(-1);
  }
  const call = { address: uniswapV3.quoter, abi: quoterAbi, functionName: 'quoteExactInput' as const };
  const [amountOut, prices] = await client.readContract({ ...call, args: [pathOf(path), amountIn] });
  return prices.some((root) => EXHAUSTED.has(root)) ? undefined : amountOut;
}
