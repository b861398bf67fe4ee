import { LRUCache } from 'lru-cache';
import { atMostEntries } from '../async/cache-size';
import { createSingleFlight } from '../async/single-flight';
import type { RequestProviderQuote } from '../venues/request-provider-quote';
import type { LargestTrade, PricedInput } from './largest-trade';

/** A search that callers with other amounts of the same route may share. */
interface SharedSearch {
  /** Identifies the provider, the route and the bound. */
  readonly key: string;
  /** The refused amount, in base units of `tokenIn`. */
  readonly refusedIn: bigint;
  /** The signal aborts when no caller waits any more. */
  readonly search: (signal: AbortSignal) => Promise<LargestTrade>;
}

/**
 * The largest trades that were found in the last seconds. They depend on the state of the market, not on the refused amounts,
 * so that requests for many amounts need one search.
 */
export interface LargestTrades {
  /** The trade that was found for a key, if it is below the refused amount. */
  find(search: Pick<SharedSearch, 'key' | 'refusedIn'>): PricedInput | undefined;
  /**
   * As `find`, or the result of a search. Searches of one key that overlap are one search.
   *
   * @throws the signal's reason as soon as the signal aborts
   */
  findOrSearch(search: SharedSearch, signal?: AbortSignal): Promise<PricedInput | undefined>;
}

const FRESH_MS = 15_000;
const MAX_TRADES = 10_000;

export function createLargestTrades(): LargestTrades {
  const trades = new LRUCache<string, PricedInput>({ ...atMostEntries(MAX_TRADES), ttl: FRESH_MS });
  const flight = createSingleFlight<{ readonly refusedIn: bigint; readonly trade: PricedInput | undefined }>();
  const find: LargestTrades['find'] = ({ key, refusedIn }) => below(trades.get(key), refusedIn);
  return {
    find,
    async findOrSearch(shared, signal) {
      const { key, refusedIn, search } = shared;
      const known = find(shared);
      if (known !== undefined) return known;
      const run = async (abandoned: AbortSignal) => {
        const { accepted: trade } = await search(abandoned);
        if (trade !== undefined) trades.set(key, trade);
        return { refusedIn, trade };
      };
      const joined = await flight.join(key, run, signal);
      if (joined.refusedIn === refusedIn) return joined.trade;
      const applicable = below(joined.trade, refusedIn);
      // The search from another amount may find nothing, or an amount that is not smaller.
      return applicable ?? (await flight.join(`${key} ${refusedIn.toString()}`, run, signal)).trade;
    },
  };
}

const below = (trade: PricedInput | undefined, refusedIn: bigint): PricedInput | undefined =>
  trade !== undefined && trade.amountIn < refusedIn ? trade : undefined;

const ofRequesters = new WeakMap<RequestProviderQuote, LargestTrades>();

/** The trades that all callers of a requester share. */
export function largestTradesOf(requestProviderQuote: RequestProviderQuote): LargestTrades {
  const trades = ofRequesters.get(requestProviderQuote) ?? createLargestTrades();
  ofRequesters.set(requestProviderQuote, trades);
  return trades;
}
