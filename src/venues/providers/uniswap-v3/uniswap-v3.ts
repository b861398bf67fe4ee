import { isNativeToken } from '../../../chains/addresses';
import { maxBigInt } from '../../../money/min-max';
import type { PoolDirectory } from '../../../pools/pool-directory';
import { priceImpactBps } from '../../../pools/price-impact';
import { canPayOut, maxAmountInAtSpot } from '../../../pools/liquidity-limits';
import { transferInFull, type TransferProbe } from '../../../pools/transfer-probe';
import type { Rpc } from '../../../rpc/rpc';
import { amountInTooHigh, amountInTooLow } from '../../amount-bounds';
import type { ProviderQuote, QuoteProvider, QuoteRequest, RouteLeg } from '../../quote-provider';
import { amountsWithSlippage } from '../../minimum-output';
import { sameChainTrade } from '../../same-chain-trade';
import { readCandidateRoutes } from './candidate-routes';
import { type PricedV3Route, priceRoutes } from './quoter';
import type { V3Hop, V3Route } from './route';
import { buildV3RouterCall } from './router-call';
import type { PoolSnapshots } from '../../../pools/pool-snapshots';

export interface UniswapV3Deps {
  readonly rpc: Pick<Rpc, 'serves' | 'multicall'>;
  readonly pools: PoolDirectory;
  readonly snapshots: PoolSnapshots;
  readonly probe: TransferProbe;
}

const ID = 'uniswapV3';

/** Uniswap V3: direct routes over each fee tier, or through one connector of the chain, priced by its QuoterV2. */
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
    build: (parameters) => Promise.resolve().then(() => buildV3RouterCall(parameters)),
  };
}

/** @throws PROVIDER_UNAVAILABLE, AMOUNT_IN_TOO_LOW, AMOUNT_IN_TOO_HIGH */
async function bestRoute(
  deps: UniswapV3Deps,
  request: QuoteRequest,
  signal: AbortSignal,
): Promise<PricedV3Route | undefined> {
  const { trade, quoter } = quoterOf(request);
  if (trade === undefined || quoter === undefined) return undefined;
  const { side, amount, tokenIn } = request;
  const candidates = await readCandidateRoutes(deps, trade, signal);
  const isLiquid = (route: V3Route) => (side === 'in' ? amount <= maxAmountInAtSpot(route) : canPayOut(route, amount));
  const routes = candidates.filter(isLiquid);
  const target = { rpc: deps.rpc, chainId: trade.chain.chainId, quoter };
  const { priced, exhausted } = await priceRoutes(target, { routes, side, amount }, signal);
  const best = bestOf(priced);
  if (best === undefined) {
    assertNotTooHigh(request, { candidates, isTooHigh: exhausted || routes.length < candidates.length });
    return undefined;
  }
  if (!(await transferInFull({ probe: deps.probe, chain: trade.chain }, endsOf(best.route), signal))) return undefined;
  if (best.amountOut > 0n) return best;
  // The input of the smallest output is the smallest input that buys anything.
  const smallest = await priceRoutes(target, { routes, side: 'out', amount: 1n }, signal);
  throw amountInTooLow(bestOf(smallest.priced)?.amountIn ?? 1n, tokenIn);
}

const quoterOf = (request: QuoteRequest) => ({
  trade: sameChainTrade(request),
  quoter: request.origin.uniswapV3?.quoter,
});

/** Half of the limit of a route is about the largest input that it can fill. @throws AMOUNT_IN_TOO_HIGH */
function assertNotTooHigh(
  { tokenIn }: QuoteRequest,
  { candidates, isTooHigh }: { readonly candidates: readonly V3Route[]; readonly isTooHigh: boolean },
): void {
  if (!isTooHigh) return;
  const limits = candidates.map((route) => maxAmountInAtSpot(route) / 2n);
  throw amountInTooHigh(maxBigInt(0n, ...limits), tokenIn);
}

/** The route with the largest output or the smallest input; the shorter of equal ones. */
function bestOf(priced: readonly PricedV3Route[]): PricedV3Route | undefined {
  const better = (one: PricedV3Route, other: PricedV3Route): PricedV3Route =>
    other.amountOut > one.amountOut || other.amountIn < one.amountIn ? other : one;
  const [first, ...others] = priced;
  return first === undefined ? undefined : others.reduce(better, first);
}

function endsOf(route: V3Route) {
  const last = route.at(-1) ?? route[0];
  return [
    { token: route[0].tokenIn, holder: route[0].pool.address },
    { token: last.tokenOut, holder: last.pool.address },
  ];
}

/**
 * Gas on top of the quoter's measurement, with a margin for tokens behind proxies: the router, each pool, wrapping or
 * unwrapping.
 */
const GAS = { base: 80_000n, pool: 30_000n, coin: 30_000n };

function quoteOf(request: QuoteRequest, best: PricedV3Route): ProviderQuote {
  const { route, amountIn, amountOut, poolGas } = best;
  const nativeEnds = [request.tokenIn, request.tokenOut].filter((token) => isNativeToken(token.address)).length;
  // All candidates were measured in one call, where shared storage slots are warm and cheaper.
  const measured = (poolGas * 11n) / 10n;
  return {
    provider: ID,
    ...amountsWithSlippage(request, { amountIn, amountOut }),
    route: route.map((hop) => legOf(request.origin.chainId, hop)),
    priceImpactBps: priceImpactBps(
      { amountIn, amountOut },
      route.map(({ depth }) => depth),
    ),
    gasLimit: measured + GAS.base + GAS.pool * BigInt(route.length) + GAS.coin * BigInt(nativeEnds),
    estimatedDurationSeconds: 15,
    execution: { steps: route.map(({ tokenIn, tokenOut, fee }) => ({ tokenIn, tokenOut, fee })) },
  };
}

const legOf = (chainId: number, { pool, tokenIn, tokenOut }: V3Hop): RouteLeg => ({
  protocol: 'uniswap-v3',
  chainId,
  tokenIn,
  tokenOut,
  shareBps: 10_000,
  pool: pool.address,
});
