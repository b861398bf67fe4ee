import { isNativeToken } from '../../../chains/addresses';
import type { ServiceError } from '../../../errors/service-error';
import { maxBigInt, minBigInt } from '../../../money/min-max';
import type { PoolDirectory } from '../../../pools/pool-directory';
import { priceImpactBps } from '../../../pools/price-impact';
import { maxAmountInAtSpot } from '../../../pools/liquidity-limits';
import { transferInFull, type TransferProbe } from '../../../pools/transfer-probe';
import type { Rpc } from '../../../rpc/rpc';
import { amountInTooHigh, amountInTooLow } from '../../amount-bounds';
import type { ProviderQuote, QuoteProvider, QuoteRequest, RouteLeg } from '../../quote-provider';
import { amountsWithSlippage } from '../../minimum-output';
import { sameChainTrade } from '../../same-chain-trade';
import { amountInFor, amountOutFor } from '../../../pools/constant-product';
import { buildV2RouterCall } from './router-call';
import { type V2Hop, type V2Route, readTradableRoutes } from './tradable-routes';
import type { PoolSnapshots } from '../../../pools/pool-snapshots';

export interface UniswapV2Deps {
  readonly rpc: Pick<Rpc, 'serves'>;
  readonly pools: PoolDirectory;
  readonly snapshots: PoolSnapshots;
  readonly probe: TransferProbe;
}

const ID = 'uniswapV2';

/** Uniswap V2 and its forks: direct routes, or through one connector of the chain. */
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
      const candidates = await readTradableRoutes(deps, trade, signal);
      const routes = candidates.filter((route) => request.side === 'out' || request.amount <= maxAmountInAtSpot(route));
      const best = bestRoute(request, routes);
      if (best === undefined) {
        if (candidates.length > 0) throw tooHigh(request, candidates);
        return undefined;
      }
      const context = { probe: deps.probe, chain: trade.chain };
      if (!(await transferInFull(context, endsOf(best.route), signal))) return undefined;
      if (best.amountOut === 0n) throw tooLow(request, routes);
      return quoteOf(request, best);
    },
    build: (parameters) => Promise.resolve().then(() => buildV2RouterCall(parameters)),
  };
}

interface PricedV2Route {
  readonly route: V2Route;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

/** The route with the largest output or the smallest input; the shorter of equal ones. */
function bestRoute(request: QuoteRequest, routes: readonly V2Route[]): PricedV2Route | undefined {
  let best: PricedV2Route | undefined;
  for (const route of routes) {
    const priced = price(request, route);
    if (priced === undefined) continue;
    const better = best === undefined || priced.amountOut > best.amountOut || priced.amountIn < best.amountIn;
    if (better) best = priced;
  }
  return best;
}

function price({ side, amount }: QuoteRequest, route: V2Route): PricedV2Route | undefined {
  if (side === 'in') {
    const amountOut = amountOutFor(amount, route);
    return amountOut === undefined ? undefined : { route, amountIn: amount, amountOut };
  }
  const amountIn = amountInFor(amount, route);
  return amountIn === undefined ? undefined : { route, amountIn, amountOut: amount };
}

function endsOf(route: V2Route) {
  const last = route.at(-1) ?? route[0];
  return [
    { token: route[0].tokenIn, holder: route[0].pool.address },
    { token: last.tokenOut, holder: last.pool.address },
  ];
}

function tooLow({ tokenIn }: QuoteRequest, routes: readonly V2Route[]): ServiceError {
  const costs = routes.flatMap((route) => amountInFor(1n, route) ?? []);
  return amountInTooLow(
    costs.reduce((lowest, cost) => minBigInt(cost, lowest)),
    tokenIn,
  );
}

function tooHigh({ tokenIn }: QuoteRequest, candidates: readonly V2Route[]): ServiceError {
  const limits = candidates.map(maxAmountInAtSpot);
  return amountInTooHigh(
    limits.reduce((highest, limit) => maxBigInt(limit, highest)),
    tokenIn,
  );
}

/** Measured, with a margin for tokens behind proxies: a swap with one pool, each further pool, the native coin. */
const GAS = { first: 190_000n, further: 110_000n, coin: 30_000n };

function quoteOf(request: QuoteRequest, { route, amountIn, amountOut }: PricedV2Route): ProviderQuote {
  const nativeEnds = [request.tokenIn, request.tokenOut].filter((token) => isNativeToken(token.address)).length;
  const depths = route.map(({ depth }) => depth);
  return {
    provider: ID,
    ...amountsWithSlippage(request, { amountIn, amountOut }),
    route: route.map((hop) => legOf(request.origin.chainId, hop)),
    priceImpactBps: priceImpactBps({ amountIn, amountOut }, depths),
    gasLimit: GAS.first + GAS.further * BigInt(route.length - 1) + GAS.coin * BigInt(nativeEnds),
    estimatedDurationSeconds: 15,
    execution: { path: [route[0].tokenIn, ...route.map((hop) => hop.tokenOut)] },
  };
}

const legOf = (chainId: number, { pool, tokenIn, tokenOut }: V2Hop): RouteLeg => ({
  protocol: 'uniswap-v2',
  chainId,
  tokenIn,
  tokenOut,
  shareBps: 10_000,
  pool: pool.address,
});
