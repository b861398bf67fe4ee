import type { Address } from 'viem';
import { isNativeToken } from '../../../chains/addresses';
import { tradingPaths } from '../../../chains/trading-paths';
import { serviceError, type ServiceError } from '../../../errors/service-error';
import { formatBaseUnits } from '../../../money/base-units';
import { type Pool, poolKey, type PoolKey } from '../../../rpc/pools/pool';
import type { PoolDirectory } from '../../../rpc/pools/pool-directory';
import { reservesRead, v2Depth, type V2State } from '../../../rpc/pools/pool-state';
import { priceImpactBps } from '../../../rpc/pools/price-impact';
import type { TransferProbe } from '../../../rpc/pools/transfer-probe';
import { arriveWhole } from '../../../rpc/pools/whole-transfers';
import type { Rpc } from '../../../rpc/rpc';
import type { ProviderQuote, QuoteProvider, QuoteRequest, RouteLeg } from '../../quote-provider';
import { protectedAmounts, sameChainTrade, type SameChainTrade } from '../../same-chain-trade';
import { amountInOf, amountOutOf, type Reserves } from './constant-product';
import { routerCall } from './router-call';

export interface UniswapV2Deps {
  readonly rpc: Pick<Rpc, 'serves' | 'multicall'>;
  readonly pools: PoolDirectory;
  readonly probe: TransferProbe;
}

const ID = 'uniswapV2';

/** Uniswap V2 and venues with its interface: direct, or through one connector of the chain. */
export function createUniswapV2Provider(deps: UniswapV2Deps): QuoteProvider {
  return {
    id: ID,
    capabilities: {
      supports: (request) =>
        sameChainTrade(request) !== undefined &&
        request.origin.uniswapV2 !== undefined &&
        deps.rpc.serves(request.origin.chainId),
    },
    async quote(request, signal) {
      const trade = sameChainTrade(request);
      if (trade === undefined) return undefined;
      const routes = await tradableRoutes(deps, trade, signal);
      const best = bestRoute(request, routes);
      if (best === undefined) return undefined;
      const ends = [holding(trade.tokenIn, best.hops.at(0)), holding(trade.tokenOut, best.hops.at(-1))].flat();
      if (!(await arriveWhole({ probe: deps.probe, chain: trade.chain }, ends, signal))) return undefined;
      if (best.amountOut === 0n) throw tooLow(request, routes);
      return quoteOf(request, best);
    },
    buildCall: (parameters) => Promise.resolve().then(() => routerCall(parameters)),
  };
}

/** One pool of a route, in the direction of the trade. */
interface Hop extends Reserves {
  readonly pool: Pool;
  readonly state: V2State;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
}
interface Route {
  readonly hops: readonly Hop[];
}
interface PricedRoute extends Route {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

/** Every path of which all pools exist and hold something. */
async function tradableRoutes(
  { rpc, pools }: UniswapV2Deps,
  { chain, tokenIn, tokenOut }: SameChainTrade,
  signal: AbortSignal,
): Promise<readonly Route[]> {
  const factory = chain.uniswapV2?.factory;
  if (factory === undefined) return [];
  const paths = tradingPaths(chain, tokenIn, tokenOut).map((path) => pairsOf(path));
  const keyOf = ([a, b]: Pair): PoolKey => poolKey({ factory, fee: undefined }, a, b);
  const located = await pools.locate(chain.chainId, paths.flat().map(keyOf), signal);
  if (located.length === 0) return [];
  const states = await rpc.multicall(chain.chainId, located.map(reservesRead), { signal });
  const hops = new Map<string, Hop>();
  located.forEach((pool, index) => {
    const [reserve0, reserve1] = states[index] ?? [0n, 0n];
    if (reserve0 === 0n || reserve1 === 0n) return;
    const state = { reserve0, reserve1 };
    const { token0, token1 } = pool;
    const shared = { pool, state };
    const upward = { ...shared, tokenIn: token0, tokenOut: token1, reserveIn: reserve0, reserveOut: reserve1 };
    const downward = { ...shared, tokenIn: token1, tokenOut: token0, reserveIn: reserve1, reserveOut: reserve0 };
    for (const hop of [upward, downward]) hops.set(`${hop.tokenIn}${hop.tokenOut}`, hop);
  });
  return paths.flatMap((pairs) => {
    const found = pairs.flatMap(([a, b]) => hops.get(`${a}${b}`) ?? []);
    return found.length === pairs.length ? [{ hops: found }] : [];
  });
}

type Pair = readonly [Address, Address];

const pairsOf = (path: readonly Address[]): readonly Pair[] =>
  path.slice(1).map((token, index): Pair => [path[index] ?? token, token]);

/** The route that gives most, or costs least; the shorter one when they are equal. */
function bestRoute(request: QuoteRequest, routes: readonly Route[]): PricedRoute | undefined {
  let best: PricedRoute | undefined;
  for (const route of routes) {
    const priced = price(request, route);
    if (priced === undefined) continue;
    const better = best === undefined || priced.amountOut > best.amountOut || priced.amountIn < best.amountIn;
    if (better) best = priced;
  }
  return best;
}

function price({ side, amount }: QuoteRequest, { hops }: Route): PricedRoute | undefined {
  if (side === 'in') {
    const amountOut = amountOutOf(amount, hops);
    return amountOut === undefined ? undefined : { hops, amountIn: amount, amountOut };
  }
  const amountIn = amountInOf(amount, hops);
  return amountIn === undefined ? undefined : { hops, amountIn, amountOut: amount };
}

const holding = (token: Address, hop: Hop | undefined) =>
  hop === undefined ? [] : [{ token, holder: hop.pool.address }];

function tooLow({ tokenIn }: QuoteRequest, routes: readonly Route[]): ServiceError {
  const costs = routes.flatMap(({ hops }) => amountInOf(1n, hops) ?? []);
  const least = costs.reduce((lowest, cost) => (cost < lowest ? cost : lowest));
  return serviceError('AMOUNT_IN_TOO_LOW', {
    minimum: `${formatBaseUnits(least, tokenIn.decimals)} ${tokenIn.symbol}`,
  });
}

/** Measured, with room for tokens behind proxies: gas of the first pool with everything around it, of each further one, and of wrapping or unwrapping the coin. */
const GAS = { first: 190_000n, further: 110_000n, coin: 30_000n };

function quoteOf(request: QuoteRequest, best: PricedRoute): ProviderQuote {
  const { hops, amountIn, amountOut } = best;
  const depths = hops.flatMap(({ pool, state, tokenIn }) => v2Depth(pool, state, tokenIn) ?? []);
  const coins = [request.tokenIn, request.tokenOut].filter((token) => isNativeToken(token.address)).length;
  return {
    provider: ID,
    ...protectedAmounts(request, { amountIn, amountOut }),
    route: hops.map((hop) => legOf(request.origin.chainId, hop)),
    priceImpactBps: priceImpactBps({ amountIn, amountOut }, depths),
    gasLimit: GAS.first + GAS.further * BigInt(hops.length - 1) + GAS.coin * BigInt(coins),
    estimatedDurationSeconds: 15,
    execution: { path: [hops[0]?.tokenIn, ...hops.map((hop) => hop.tokenOut)] },
  };
}

const legOf = (chainId: number, { pool, tokenIn, tokenOut }: Hop): RouteLeg => ({
  ...{ protocol: 'uniswap-v2', chainId, tokenIn, tokenOut, shareBps: 10_000, pool: pool.address },
});
