import { isNativeToken } from '../../../chains/addresses';
import type { ServiceError } from '../../../errors/service-error';
import { createPoolBook } from '../../../pools/pool-book';
import type { PoolDirectory } from '../../../pools/pool-directory';
import { spotLimit } from '../../../pools/spot-limit';
import type { TransferProbe } from '../../../pools/transfer-probe';
import { arriveWhole } from '../../../pools/whole-transfers';
import type { Rpc } from '../../../rpc/rpc';
import { amountInTooHigh, amountInTooLow } from '../../amount-bounds';
import type { QuoteProvider, QuoteRequest } from '../../quote-provider';
import { type SameChainTrade, sameChainTrade } from '../../same-chain-trade';
import { exchange, type Route } from './exchange';
import { gasWorth } from './gas';
import { type Market, type MarketDeps, openMarket } from './market';
import { quoteOfPlan, total } from './quote-of-plan';
import { routerCall } from './router-call';
import { type Findings, type Plan, search } from './search';
import { createVenueFinder, type FindVenue } from './venue';

export interface AfluenteDeps {
  readonly rpc: Pick<Rpc, 'serves' | 'multicall' | 'ask'>;
  readonly pools: PoolDirectory;
  readonly probe: TransferProbe;
}

const ID = 'afluente';

/**
 * The service's own router: over Uniswap V2 and V3 pools, through up to two connectors, on up to three ways at once that
 * SwapRouter02 takes in one transaction. Priced in memory from the state of the pools; another way is taken only when
 * it brings in more than its gas costs.
 */
export function createAfluenteProvider(deps: AfluenteDeps): QuoteProvider {
  const inner = { ...deps, book: createPoolBook(deps), findVenue: createVenueFinder(deps) };
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
      return plan === undefined ? undefined : quoteOfPlan(ID, request, plan);
    },
    build: (parameters) => Promise.resolve().then(() => routerCall(parameters)),
  };
}

interface RouterDeps extends AfluenteDeps, MarketDeps {
  readonly findVenue: FindVenue;
}

interface Subject {
  readonly request: QuoteRequest;
  readonly trade: SameChainTrade;
}

/** @throws PROVIDER_UNAVAILABLE, AMOUNT_IN_TOO_LOW, AMOUNT_IN_TOO_HIGH */
async function bestPlan(deps: RouterDeps, subject: Subject, signal: AbortSignal): Promise<Plan | undefined> {
  const { request, trade } = subject;
  const venue = await deps.findVenue(trade.chain, signal);
  if (venue === undefined || (coinsOf(request) > 0 && !venue.wrapsCoin)) return undefined;
  const reader = await openMarket(deps, { trade, venue }, signal);
  for (;;) {
    const found = findPlan(await reader.read(signal), subject, reader.feePerGas);
    if (found.vague.length === 0) return checked(deps, { ...subject, found }, signal);
    // All ticks of a pool are known after a few rounds.
    await reader.widen(found.vague, signal);
  }
}

const coinsOf = ({ tokenIn, tokenOut }: QuoteRequest): number =>
  [tokenIn, tokenOut].filter((token) => isNativeToken(token.address)).length;

/** The best trade in a market that does not change. */
export function findPlan(market: Market, { request, trade }: Subject, feePerGas: bigint): Findings {
  const { side, amount } = request;
  const { chain, tokenIn, tokenOut } = trade;
  const { connectors, wrappedNative: coin } = chain;
  const token = side === 'in' ? tokenOut : tokenIn;
  const worth = coin === undefined ? undefined : gasWorth(market, { coin, token, connectors, feePerGas });
  const coins = coinsOf(request);
  return search(market, { side, amount, tokenIn, tokenOut, connectors, coins, gasWorth: worth });
}

async function checked(
  deps: RouterDeps,
  { request, trade, found }: Subject & { readonly found: Findings },
  signal: AbortSignal,
): Promise<Plan | undefined> {
  const { best, routes } = found;
  if (best === undefined) {
    if (request.side === 'in' && routes.length > 0) throw tooHigh(request, routes);
    return undefined;
  }
  const venue = { probe: deps.probe, chain: trade.chain };
  if (!(await arriveWhole(venue, endsOf(best), signal))) return undefined;
  if (total(best.ways, 'amountOut') > 0n) return best;
  throw tooLow(request, routes);
}

function endsOf({ ways }: Plan) {
  return ways.flatMap(({ route }) => {
    const last = route.at(-1) ?? route[0];
    return [
      { token: route[0].tokenIn, holder: route[0].pool.address },
      { token: last.tokenOut, holder: last.pool.address },
    ];
  });
}

/** The smallest input that buys anything. What the smallest output costs is about that: rounded, it may miss it. */
function tooLow({ tokenIn }: QuoteRequest, routes: readonly Route[]): ServiceError {
  const priced = routes.flatMap((route) => {
    const cost = exchange(route, 'out', 1n)?.amountIn;
    return cost === undefined ? [] : [{ route, cost }];
  });
  const lowest = priced.reduce((least, { cost }) => (cost < least ? cost : least), priced[0]?.cost ?? 1n);
  const cheap = priced.filter(({ cost }) => cost <= 2n * lowest);
  const buys = (amount: bigint): boolean =>
    cheap.some(({ route }) => (exchange(route, 'in', amount)?.amountOut ?? 0n) > 0n);
  let [tooLittle, enough] = [0n, 2n * lowest + 1n];
  while (enough - tooLittle > 1n) {
    const middle = (tooLittle + enough) / 2n;
    if (buys(middle)) enough = middle;
    else tooLittle = middle;
  }
  return amountInTooLow(enough, tokenIn);
}

/** Half of what is worth a try on the routes that can be taken at once is about what can be filled. */
function tooHigh({ tokenIn }: QuoteRequest, routes: readonly Route[]): ServiceError {
  const ranked = routes
    .map((route) => ({ route, limit: spotLimit(route) }))
    .sort((one, other) => (one.limit > other.limit ? -1 : 1));
  const used = new Set<string>();
  let [sum, ways] = [0n, 0];
  for (const { route, limit } of ranked) {
    const addresses = route.map(({ pool }) => pool.address);
    if (ways === 3 || addresses.some((address) => used.has(address))) continue;
    addresses.forEach((address) => used.add(address));
    sum += limit;
    ways += 1;
  }
  return amountInTooHigh(sum / 2n, tokenIn);
}
