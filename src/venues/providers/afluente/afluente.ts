import { isNativeToken } from '../../../chains/addresses';
import { minBigInt } from '../../../money/min-max';
import type { ServiceError } from '../../../errors/service-error';
import type { PoolSnapshots } from '../../../pools/pool-snapshots';
import type { PoolDirectory } from '../../../pools/pool-directory';
import { maxAmountInAtSpot } from '../../../pools/liquidity-limits';
import { transferInFull, type TransferProbe } from '../../../pools/transfer-probe';
import type { Rpc } from '../../../rpc/rpc';
import { amountInTooHigh, amountInTooLow } from '../../amount-bounds';
import type { QuoteProvider, QuoteRequest } from '../../quote-provider';
import { type SameChainTrade, sameChainTrade } from '../../same-chain-trade';
import { quoteRoute, type PoolRoute } from './route-quote';
import { gasConverter } from './gas';
import { type PoolGraph, type PoolGraphDeps, openPoolGraph } from './pool-graph';
import { planQuote, totalAmount } from './plan-quote';
import { buildSplitRouterCall } from './router-call';
import { type PlanSearchResult, type TradePlan, searchPlans } from './search-plans';
import { createSwapRouterReader, type ReadSwapRouter } from './router-deployment';

export interface AfluenteDeps {
  readonly rpc: Pick<Rpc, 'serves' | 'multicall' | 'request'>;
  readonly pools: PoolDirectory;
  readonly snapshots: PoolSnapshots;
  readonly probe: TransferProbe;
}

const ID = 'afluente';

/**
 * The service's own router over Uniswap V2 and V3 pools: routes through up to two connectors, and up to three splits that
 * SwapRouter02 executes in one transaction. Amounts are computed in memory from the state of the pools. A split is added
 * only when it gains more than its gas costs.
 */
export function createAfluenteProvider(deps: AfluenteDeps): QuoteProvider {
  const inner = { ...deps, readRouter: createSwapRouterReader(deps) };
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
      const plan = trade === undefined ? undefined : await bestPlan(inner, { request, trade }, signal);
      return plan === undefined ? undefined : planQuote(ID, request, plan);
    },
    build: (parameters) => Promise.resolve().then(() => buildSplitRouterCall(parameters)),
  };
}

interface RouterDeps extends AfluenteDeps, PoolGraphDeps {
  readonly readRouter: ReadSwapRouter;
}

interface RoutedTrade {
  readonly request: QuoteRequest;
  readonly trade: SameChainTrade;
}

/** @throws PROVIDER_UNAVAILABLE, AMOUNT_IN_TOO_LOW, AMOUNT_IN_TOO_HIGH */
async function bestPlan(
  deps: RouterDeps,
  routedTrade: RoutedTrade,
  signal: AbortSignal,
): Promise<TradePlan | undefined> {
  const { request, trade } = routedTrade;
  const router = await deps.readRouter(trade.chain, signal);
  if (router === undefined || (countNativeEnds(request) > 0 && !router.wrapsCoin)) return undefined;
  const reader = await openPoolGraph(deps, { trade, router }, signal);
  for (;;) {
    const result = findPlan(await reader.read(signal), routedTrade, reader.feePerGas);
    if (result.unresolved.length === 0) return checkedPlan(deps, { ...routedTrade, result }, signal);
    // Terminates: every tick of a pool is loaded after a few rounds.
    await reader.widen(result.unresolved, signal);
  }
}

const countNativeEnds = ({ tokenIn, tokenOut }: QuoteRequest): number =>
  [tokenIn, tokenOut].filter((token) => isNativeToken(token.address)).length;

/** Finds the best plan in one state of the pool graph. */
export function findPlan(graph: PoolGraph, { request, trade }: RoutedTrade, feePerGas: bigint): PlanSearchResult {
  const { side, amount } = request;
  const { chain, tokenIn, tokenOut } = trade;
  const { connectors, wrappedNative: coin } = chain;
  const token = side === 'in' ? tokenOut : tokenIn;
  const converter = coin === undefined ? undefined : gasConverter(graph, { coin, token, connectors, feePerGas });
  const nativeEnds = countNativeEnds(request);
  return searchPlans(graph, { side, amount, tokenIn, tokenOut, connectors, nativeEnds, gasConverter: converter });
}

async function checkedPlan(
  deps: RouterDeps,
  { request, trade, result }: RoutedTrade & { readonly result: PlanSearchResult },
  signal: AbortSignal,
): Promise<TradePlan | undefined> {
  const { best, routes } = result;
  if (best === undefined) {
    if (routes.length > 0) throw tooHigh(request, routes);
    return undefined;
  }
  const context = { probe: deps.probe, chain: trade.chain };
  if (!(await transferInFull(context, endsOf(best), signal))) return undefined;
  if (totalAmount(best.splits, 'amountOut') > 0n) return best;
  throw tooLow(request, routes);
}

function endsOf({ splits }: TradePlan) {
  return splits.flatMap(({ route }) => {
    const last = route.at(-1) ?? route[0];
    return [
      { token: route[0].tokenIn, holder: route[0].pool.address },
      { token: last.tokenOut, holder: last.pool.address },
    ];
  });
}

/** The smallest input that buys anything, by bisection: the quoted input of the smallest output is rounded and may miss it. */
function tooLow({ tokenIn }: QuoteRequest, routes: readonly PoolRoute[]): ServiceError {
  const priced = routes.flatMap((route) => {
    const cost = quoteRoute(route, 'out', 1n)?.amountIn;
    return cost === undefined ? [] : [{ route, cost }];
  });
  const lowest = priced.reduce((minimum, { cost }) => minBigInt(cost, minimum), priced[0]?.cost ?? 1n);
  const cheap = priced.filter(({ cost }) => cost <= 2n * lowest);
  const buys = (amount: bigint): boolean =>
    cheap.some(({ route }) => (quoteRoute(route, 'in', amount)?.amountOut ?? 0n) > 0n);
  let [insufficient, enough] = [0n, 2n * lowest + 1n];
  while (enough - insufficient > 1n) {
    const middle = (insufficient + enough) / 2n;
    if (buys(middle)) enough = middle;
    else insufficient = middle;
  }
  return amountInTooLow(enough, tokenIn);
}

/** About the largest input that can be filled: half of the limits of three routes without a common pool. */
function tooHigh({ tokenIn }: QuoteRequest, routes: readonly PoolRoute[]): ServiceError {
  const ranked = routes
    .map((route) => ({ route, limit: maxAmountInAtSpot(route) }))
    .sort((one, other) => (one.limit > other.limit ? -1 : 1));
  const used = new Set<string>();
  let [sum, splitCount] = [0n, 0];
  for (const { route, limit } of ranked) {
    const addresses = route.map(({ pool }) => pool.address);
    if (splitCount === 3 || addresses.some((address) => used.has(address))) continue;
    addresses.forEach((address) => used.add(address));
    sum += limit;
    splitCount += 1;
  }
  return amountInTooHigh(sum / 2n, tokenIn);
}
