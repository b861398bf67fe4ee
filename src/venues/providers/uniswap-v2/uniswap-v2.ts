import { isNativeToken } from '../../../chains/addresses';
import type { ServiceError } from '../../../errors/service-error';
import type { PoolDirectory } from '../../../pools/pool-directory';
import { priceImpactBps } from '../../../pools/price-impact';
import { spotLimit } from '../../../pools/spot-limit';
import type { TransferProbe } from '../../../pools/transfer-probe';
import { arriveWhole } from '../../../pools/whole-transfers';
import type { Rpc } from '../../../rpc/rpc';
import { amountInTooHigh, amountInTooLow } from '../../amount-bounds';
import type { ProviderQuote, QuoteProvider, QuoteRequest, RouteLeg } from '../../quote-provider';
import { protectedAmounts, sameChainTrade } from '../../same-chain-trade';
import { amountInOf, amountOutOf } from '../../../pools/constant-product';
import { routerCall } from './router-call';
import { type Hop, type Route, tradableRoutes } from './tradable-routes';

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
      const candidates = await tradableRoutes(deps, trade, signal);
      const routes = candidates.filter((route) => request.side === 'out' || request.amount <= spotLimit(route));
      if (routes.length === 0 && candidates.length > 0) throw tooHigh(request, candidates);
      const best = bestRoute(request, routes);
      if (best === undefined) return undefined;
      const venue = { probe: deps.probe, chain: trade.chain };
      if (!(await arriveWhole(venue, endsOf(best.route), signal))) return undefined;
      if (best.amountOut === 0n) throw tooLow(request, routes);
      return quoteOf(request, best);
    },
    build: (parameters) => Promise.resolve().then(() => routerCall(parameters)),
  };
}

interface PricedRoute {
  readonly route: Route;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

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

function price({ side, amount }: QuoteRequest, route: Route): PricedRoute | undefined {
  if (side === 'in') {
    const amountOut = amountOutOf(amount, route);
    return amountOut === undefined ? undefined : { route, amountIn: amount, amountOut };
  }
  const amountIn = amountInOf(amount, route);
  return amountIn === undefined ? undefined : { route, amountIn, amountOut: amount };
}

function endsOf(route: Route) {
  const last = route.at(-1) ?? route[0];
  return [
    { token: route[0].tokenIn, holder: route[0].pool.address },
    { token: last.tokenOut, holder: last.pool.address },
  ];
}

function tooLow({ tokenIn }: QuoteRequest, routes: readonly Route[]): ServiceError {
  const costs = routes.flatMap((route) => amountInOf(1n, route) ?? []);
  return amountInTooLow(
    costs.reduce((least, cost) => (cost < least ? cost : least)),
    tokenIn,
  );
}

function tooHigh({ tokenIn }: QuoteRequest, candidates: readonly Route[]): ServiceError {
  const limits = candidates.map(spotLimit);
  return amountInTooHigh(
    limits.reduce((most, limit) => (limit > most ? limit : most)),
    tokenIn,
  );
}

/** Measured, with room for tokens behind proxies: the first pool with everything around it, each further one, the coin. */
const GAS = { first: 190_000n, further: 110_000n, coin: 30_000n };

function quoteOf(request: QuoteRequest, { route, amountIn, amountOut }: PricedRoute): ProviderQuote {
  const coins = [request.tokenIn, request.tokenOut].filter((token) => isNativeToken(token.address)).length;
  const depths = route.map(({ depth }) => depth);
  return {
    provider: ID,
    ...protectedAmounts(request, { amountIn, amountOut }),
    route: route.map((hop) => legOf(request.origin.chainId, hop)),
    priceImpactBps: priceImpactBps({ amountIn, amountOut }, depths),
    gasLimit: GAS.first + GAS.further * BigInt(route.length - 1) + GAS.coin * BigInt(coins),
    estimatedDurationSeconds: 15,
    execution: { path: [route[0].tokenIn, ...route.map((hop) => hop.tokenOut)] },
  };
}

const legOf = (chainId: number, { pool, tokenIn, tokenOut }: Hop): RouteLeg => ({
  protocol: 'uniswap-v2',
  chainId,
  tokenIn,
  tokenOut,
  shareBps: 10_000,
  pool: pool.address,
});
