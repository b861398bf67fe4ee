import type { Logger } from 'pino';
import { type ChangeWatch, createChangeFeed } from '../../async/change-feed';
import { createSharedCapacity } from '../../async/shared-capacity';
import { createTurns } from '../../async/turns';
import { customerLimitError } from '../../auth/customer-limits';
import type { CustomerId } from '../../auth/principal';
import { describeFailure } from '../../errors/describe-failure';
import type { LatestMarkets } from './latest-markets';

export interface RateFeedDeps {
  readonly markets: LatestMarkets;
  readonly log: Pick<Logger, 'warn'>;
  /** Milliseconds between two polls of the market data. */
  readonly pollMs?: number;
  /** Milliseconds after which the watches are notified also without new market data: with time alone it becomes stale. */
  readonly remindMs?: number;
  /** Maximum concurrent watches of this process, per customer and in total. */
  readonly capacity?: { readonly perCustomer: number; readonly total: number };
}

/** Notifies the watches of this process of new market data, and once a minute without any, with one poll for all of them. */
export interface RateFeed {
  /**
   * `changed` of each watch resolves in a turn of its own: the rates of many watches are computed one after the other.
   * `maximum`: watches that the customer may have.
   *
   * @throws RATE_LIMIT_EXCEEDED when the customer has too many watches; SERVICE_UNAVAILABLE when the process has
   */
  watch(customerId: CustomerId, maximum?: number): ChangeWatch;
}

const POLL_MS = 3000;
const REMIND_MS = 60_000;
const CAPACITY = { perCustomer: 100, total: 10_000 };
const FULL = 'too many subscriptions to rates are open. Retry later';

/** All watches are on the market data as a whole: its version changes with each reading of it, and with time. */
const MARKETS = 'markets';

export function createRateFeed({ markets, log, ...options }: RateFeedDeps): RateFeed {
  const { pollMs = POLL_MS, remindMs = REMIND_MS, capacity = CAPACITY } = options;
  const turns = createTurns();
  const customerError = (maximum: number): Error => customerLimitError('rateWatches', maximum);
  const places = createSharedCapacity({ ...capacity, customerError, full: FULL });
  const feed = createChangeFeed({
    pollMs,
    async readVersions() {
      const { version } = await markets.read();
      return new Map([[MARKETS, `${String(version)} ${String(Math.floor(performance.now() / remindMs))}`]]);
    },
    onFailure: (error) => log.warn({ cause: describeFailure(error) }, 'the changes of market data could not be read'),
  });
  return {
    watch(customerId, maximum) {
      const watch = feed.watch(MARKETS, places.take(customerId, 1, maximum));
      return {
        async changed(signal) {
          await watch.changed(signal);
          await turns.next();
        },
        close: watch.close,
      };
    },
  };
}
