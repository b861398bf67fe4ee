import type { FindCustomerLimit } from '../../auth/customer-limits';
import type { CustomerId } from '../../auth/principal';
import { validationError } from '../../errors/validation';
import { slugOf } from '../catalog/merge-rows';
import type { Strategies } from '../catalog/strategies';
import type { LatestMarkets } from '../market/latest-markets';
import type { StoredMarket } from '../market/observation';
import type { RateFeed } from '../market/rate-feed';
import type { Strategy } from '../strategy';
import { flagsOf, type MarketFlag, sharePriceNumber, underlyingUsd, yieldsOf } from './market-figures';

/** The rate of a strategy at a time: the same for every customer. */
export interface RateView {
  readonly strategyId: string;
  readonly slug: string;
  /** Time of the block. */
  readonly at: Date;
  readonly grossAPY: number | undefined;
  readonly sharePrice: number;
  readonly tvl: string;
  readonly tvlUsd: number | undefined;
  readonly flags: readonly MarketFlag[];
}

export interface WatchRatesDeps {
  readonly strategies: Pick<Strategies, 'get' | 'ready'>;
  readonly markets: LatestMarkets;
  readonly rateFeed: RateFeed;
  readonly findLimit: FindCustomerLimit;
  readonly now?: () => Date;
}

export interface RateWatchRequest {
  readonly customerId: CustomerId;
  /** Ids, slugs or aliases. */
  readonly strategyIds: readonly string[];
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

/** Strategies of one watch: each event may have all of them. */
const MAX_WATCHED = 100;

/**
 * Yields the rates of strategies now, then after each reading of their markets those that it has changed, and those whose flags the
 * time has changed, as of a market that is read no more, until the signal aborts. Strategies whose market was never read are left out
 * until it is.
 *
 * @throws VALIDATION_ERROR, STRATEGY_NOT_FOUND, LENDING_SERVICE_UNAVAILABLE; RATE_LIMIT_EXCEEDED when the customer has too many
 * watches; SERVICE_UNAVAILABLE when the process has
 */
export async function watchRates(
  deps: WatchRatesDeps,
  request: RateWatchRequest,
): Promise<AsyncGenerator<readonly RateView[]>> {
  const { length } = request.strategyIds;
  if (length === 0 || length > MAX_WATCHED)
    throw validationError([{ path: 'strategyIds', message: `must have 1 to ${String(MAX_WATCHED)} items` }]);
  await deps.strategies.ready();
  const strategies = new Set(request.strategyIds.map((id) => deps.strategies.get(id)));
  return changesOf(deps, [...strategies], request);
}

async function* changesOf(
  { markets, rateFeed, findLimit, now = () => new Date() }: WatchRatesDeps,
  strategies: readonly Strategy[],
  { customerId, signal }: RateWatchRequest,
): AsyncGenerator<readonly RateView[]> {
  const watch = rateFeed.watch(customerId, await findLimit(customerId, 'rateWatches'));
  signal.addEventListener('abort', watch.close, { once: true }); // also when the consumer never requests the next change
  try {
    const shown = new Map<Strategy, Shown>();
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const { byStrategy } = await markets.read();
      const changed = strategies.flatMap((strategy): readonly RateView[] => {
        const market = byStrategy.get(slugOf(strategy.row.id));
        if (market === undefined) return [];
        const current = { market, flags: flagsOf(strategy, market, now()) };
        if (isSame(current, shown.get(strategy))) return [];
        shown.set(strategy, current);
        return [rateView(strategy, current)];
      });
      if (isFirst || changed.length > 0) yield changed;
      await watch.changed(signal);
    }
  } finally {
    signal.removeEventListener('abort', watch.close);
    watch.close();
  }
}

/** What an event has said about a strategy. */
interface Shown {
  readonly market: StoredMarket;
  readonly flags: readonly MarketFlag[];
}

const isSame = ({ market, flags }: Shown, last: Shown | undefined): boolean =>
  market === last?.market && flags.join() === last.flags.join();

const NO_FEES = { entryBps: 0, performanceBps: 0, markupBps: 0 };

function rateView(strategy: Strategy, { market, flags }: Shown): RateView {
  const { id } = strategy.row;
  const { at, sharePriceRay, tvl, usdE24 } = market.observation;
  return {
    strategyId: id,
    slug: slugOf(id),
    at,
    grossAPY: yieldsOf(strategy, market, NO_FEES).grossAPY,
    sharePrice: sharePriceNumber(strategy, sharePriceRay),
    tvl: tvl.toString(),
    tvlUsd: underlyingUsd(strategy, tvl, usdE24),
    flags,
  };
}
