import { isNativeToken } from '../../../chains/addresses';
import type { PoolDirectory } from '../../../pools/pool-directory';
import { priceImpactBps } from '../../../pools/price-impact';
import { holdsEnough, spotLimit } from '../../../pools/spot-limit';
import type { TransferProbe } from '../../../pools/transfer-probe';
import { arriveWhole } from '../../../pools/whole-transfers';
import type { Rpc } from '../../../rpc/rpc';
import { amountInTooHigh, amountInTooLow } from '../../amount-bounds';
import type { ProviderQuote, QuoteProvider, QuoteRequest, RouteLeg } from '../../quote-provider';
import { protectedAmounts, sameChainTrade } from '../../same-chain-trade';
import { candidateRoutes } from './candidate-routes';
import { type PricedRoute, priceRoutes } from './quoter';
import type { Hop, Route } from './route';
import { routerCall } from './router-call';

export interface UniswapV3Deps {
  readonly rpc: Pick<Rpc, 'serves' | 'multicall'>;
  readonly pools: PoolDirectory;
  readonly probe: TransferProbe;
}

const ID = 'uniswapV3';

/** Uniswap V3: direct over every fee, or through one connector of the chain. Prices come from its own QuoterV2. */
export function createUniswapV3Provider(deps: UniswapV3Deps): QuoteProvider {
  return {
    id: ID,
    capabilities: {
      supports: (request) =>
        sameChainTrade(request) !== undefined &&
        request.origin.uniswapV3 !== undefined &&
        deps.rpc.serves(request.origin.chainId),
    },
    async quote(request, signal) {
      const best = await bestRoute(deps, request, signal);
      return best === undefined ? undefined : quoteOf(request, best);
    },
    build: (parameters) => Promise.resolve().then(() => routerCall(parameters)),
  };
}

/** @throws PROVIDER_UNAVAILABLE, AMOUNT_IN_TOO_LOW, AMOUNT_IN_TOO_HIGH */
async function bestRoute(
  deps: UniswapV3Deps,
  request: QuoteRequest,
  signal: AbortSignal,
): Promise<PricedRoute | undefined> {
  const { trade, quoter } = venueOf(request);
  if (trade === undefined || quoter === undefined) return undefined;
  const { side, amount, tokenIn } = request;
  const candidates = await candidateRoutes(deps, trade, signal);
  const fits = (route: Route) => (side === 'in' ? amount <= spotLimit(route) : holdsEnough(route, amount));
  const routes = candidates.filter(fits);
  const venue = { rpc: deps.rpc, chainId: trade.chain.chainId, quoter };
  const { priced, exhausted } = await priceRoutes(venue, { routes, side, amount }, signal);
  const best = bestOf(priced);
  if (best === undefined) {
    unfilled(request, { candidates, tooMuch: exhausted || routes.length < candidates.length });
    return;
  }
  if (!(await arriveWhole({ probe: deps.probe, chain: trade.chain }, endsOf(best.route), signal))) return undefined;
  if (best.amountOut > 0n) return best;
  // What the smallest output costs is the smallest input that buys anything.
  const smallest = await priceRoutes(venue, { routes, side: 'out', amount: 1n }, signal);
  throw amountInTooLow(bestOf(smallest.priced)?.amountIn ?? 1n, tokenIn);
}

const venueOf = (request: QuoteRequest) => ({
  trade: sameChainTrade(request),
  quoter: request.origin.uniswapV3?.quoter,
});

interface Unfilled {
  readonly candidates: readonly Route[];
  /** True when a smaller amount might have been filled. */
  readonly tooMuch: boolean;
}

/** No route, or one for less: half of what is worth a try is about what can be filled. */
function unfilled({ side, tokenIn }: QuoteRequest, { candidates, tooMuch }: Unfilled): undefined {
  if (side === 'out' || !tooMuch) return undefined;
  const limits = candidates.map((route) => spotLimit(route) / 2n);
  throw amountInTooHigh(
    limits.reduce((most, limit) => (limit > most ? limit : most), 0n),
    tokenIn,
  );
}

/** The route that gives most, or costs least; the shorter one when they are equal. */
function bestOf(priced: readonly PricedRoute[]): PricedRoute | undefined {
  const better = (one: PricedRoute, other: PricedRoute): PricedRoute =>
    other.amountOut > one.amountOut || other.amountIn < one.amountIn ? other : one;
  const [first, ...others] = priced;
  return first === undefined ? undefined : others.reduce(better, first);
}

function endsOf(route: Route) {
  const last = route.at(-1) ?? route[0];
  return [
    { token: route[0].tokenIn, holder: route[0].pool.address },
    { token: last.tokenOut, holder: last.pool.address },
  ];
}

/**
 * Gas on top of what the quoter measured, with room for tokens behind proxies: of everything around the pools, of each
 * pool, of wrapping or unwrapping.
 */
const GAS = { base: 80_000n, pool: 30_000n, coin: 30_000n };

function quoteOf(request: QuoteRequest, best: PricedRoute): ProviderQuote {
  const { route, amountIn, amountOut, poolGas } = best;
  const coins = [request.tokenIn, request.tokenOut].filter((token) => isNativeToken(token.address)).length;
  // The candidates were measured in one call, which makes storage that they share cheaper than it will be.
  const measured = (poolGas * 11n) / 10n;
  return {
    provider: ID,
    ...protectedAmounts(request, { amountIn, amountOut }),
    route: route.map((hop) => legOf(request.origin.chainId, hop)),
    priceImpactBps: priceImpactBps(
      { amountIn, amountOut },
      route.map(({ depth }) => depth),
    ),
    gasLimit: measured + GAS.base + GAS.pool * BigInt(route.length) + GAS.coin * BigInt(coins),
    estimatedDurationSeconds: 15,
    execution: { steps: route.map(({ tokenIn, tokenOut, fee }) => ({ tokenIn, tokenOut, fee })) },
  };
}

const legOf = (chainId: number, { pool, tokenIn, tokenOut }: Hop): RouteLeg => ({
  protocol: 'uniswap-v3',
  chainId,
  tokenIn,
  tokenOut,
  shareBps: 10_000,
  pool: pool.address,
});
