import { isNativeToken } from '../../../chains/addresses';
import { serviceError } from '../../../errors/service-error';
import { formatBaseUnits } from '../../../money/base-units';
import type { PoolDirectory } from '../../../rpc/pools/pool-directory';
import { priceImpactBps } from '../../../rpc/pools/price-impact';
import type { TransferProbe } from '../../../rpc/pools/transfer-probe';
import { arriveWhole } from '../../../rpc/pools/whole-transfers';
import type { Rpc } from '../../../rpc/rpc';
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
      const trade = sameChainTrade(request);
      const quoter = request.origin.uniswapV3?.quoter;
      if (trade === undefined || quoter === undefined) return undefined;
      const { chain } = trade;
      const routes = await candidateRoutes(deps, trade, signal);
      if (routes.length === 0) return undefined;
      const venue = { rpc: deps.rpc, chainId: chain.chainId, quoter };
      const { side, amount } = request;
      const best = bestOf(await priceRoutes(venue, { routes, side, amount }, signal));
      if (best === undefined) return undefined;
      if (!(await arriveWhole({ probe: deps.probe, chain }, endsOf(best.route), signal))) return undefined;
      if (best.amountOut > 0n) return quoteOf(request, best);
      // What the smallest output costs is the smallest input that buys anything.
      throw tooLow(request, await priceRoutes(venue, { routes, side: 'out', amount: 1n }, signal));
    },
    buildCall: (parameters) => Promise.resolve().then(() => routerCall(parameters)),
  };
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

function tooLow({ tokenIn }: QuoteRequest, priced: readonly PricedRoute[]) {
  const least = bestOf(priced)?.amountIn ?? 1n;
  return serviceError('AMOUNT_IN_TOO_LOW', {
    minimum: `${formatBaseUnits(least, tokenIn.decimals)} ${tokenIn.symbol}`,
  });
}

/** Measured, with room for tokens behind proxies: gas of the first pool with everything around it, of each further one, of a crossed tick, of wrapping or unwrapping. */
const GAS = { first: 190_000n, further: 130_000n, tick: 25_000n, coin: 30_000n };

function quoteOf(request: QuoteRequest, best: PricedRoute): ProviderQuote {
  const { route, amountIn, amountOut, ticksCrossed } = best;
  const coins = [request.tokenIn, request.tokenOut].filter((token) => isNativeToken(token.address)).length;
  const pools = GAS.first + GAS.further * BigInt(route.length - 1);
  return {
    provider: ID,
    ...protectedAmounts(request, { amountIn, amountOut }),
    route: route.map((hop) => legOf(request.origin.chainId, hop)),
    priceImpactBps: priceImpactBps(
      { amountIn, amountOut },
      route.map(({ depth }) => depth),
    ),
    gasLimit: pools + GAS.tick * BigInt(ticksCrossed) + GAS.coin * BigInt(coins),
    estimatedDurationSeconds: 15,
    execution: { steps: route.map(({ tokenIn, tokenOut, fee }) => ({ tokenIn, tokenOut, fee })) },
  };
}

const legOf = (chainId: number, { pool, tokenIn, tokenOut }: Hop): RouteLeg => ({
  ...{ protocol: 'uniswap-v3', chainId, tokenIn, tokenOut, shareBps: 10_000, pool: pool.address },
});
