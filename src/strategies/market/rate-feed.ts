import type { Logger } from 'pino';
import { type ChangeSignal, createChangeSignal } from '../../async/change-signal';
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

/** `changed` of each watch resolves in a turn of its own: the rates of many watches are computed one after the other. */
export interface RateWatch extends Pick<ChangeSignal, 'changed'> {
  readonly close: () => void;
}

/** Notifies the watches of this process of new market data, and once a minute without any, with one poll for all of them. */
export interface RateFeed {
  /**
   * `maximum`: watches that the customer may have.
   *
   * @throws RATE_LIMIT_EXCEEDED when the customer has too many watches; SERVICE_UNAVAILABLE when the process has
   */
  watch(customerId: CustomerId, maximum?: number): RateWatch;
}

const POLL_MS = 3000;
const REMIND_MS = 60_000;
const CAPACITY = { perCustomer: 100, total: 10_000 };
const FULL = 'too many subscriptions to rates are open. Retry later';

/** Polls while there is a watch. */
export function createRateFeed({ markets, log, ...options }: RateFeedDeps): RateFeed {
  const { pollMs = POLL_MS, remindMs = REMIND_MS, capacity = CAPACITY } = options;
  const watches = new Set<ChangeSignal>();
  const turns = createTurns();
  const customerError = (maximum: number): Error => customerLimitError('rateWatches', maximum);
  const places = createSharedCapacity({ ...capacity, customerError, full: FULL });
  let isPolling = false;
  let known: number | undefined;
  let notifiedAt = -Infinity;
  const notifyOf = (version: number): void => {
    const isDue = performance.now() - notifiedAt >= remindMs;
    if (version === known && !isDue) return;
    known = version;
    notifiedAt = performance.now();
    for (const watch of watches) watch.notify();
  };
  const poll = async (): Promise<void> => {
    isPolling = true;
    while (watches.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, pollMs).unref());
      try {
        notifyOf((await markets.read()).version);
      } catch (error) {
        log.warn({ cause: describeFailure(error) }, 'the changes of market data could not be read');
      }
    }
    isPolling = false;
  };
  return {
    watch(customerId, maximum) {
      const release = places.take(customerId, 1, maximum);
      const changes = createChangeSignal();
      watches.add(changes);
      if (!isPolling) void poll();
      return {
        async changed(signal) {
          await changes.changed(signal);
          await turns.next();
        },
        close() {
          release();
          watches.delete(changes);
        },
      };
    },
  };
}
