import { LRUCache } from 'lru-cache';

export interface PaceOptions {
  /** What one customer may take in a second. */
  readonly perSecond: number;
  /** Longest delay. A customer that takes more meanwhile does so without paying for it. */
  readonly maxDelayMs: number;
  /** Customers that are remembered: one that is forgotten may take a part too early. 1,000 unless it is given. */
  readonly maxCustomers?: number;
  /** In milliseconds, from any start. */
  readonly now?: () => number;
}

/** Spreads what each customer takes, such as bytes, evenly over time. */
export interface Pace {
  /** Takes a part, and returns the milliseconds after which the customer may take more: 0 for one that took nothing lately. */
  take(customerId: string, size: number): number;
}

export function createPace(options: PaceOptions): Pace {
  const { perSecond, maxDelayMs, maxCustomers = 1000, now = () => performance.now() } = options;
  /** When the parts that were taken are paid for. */
  const paidAt = new LRUCache<string, number>({ max: maxCustomers });
  return {
    take(customerId, size) {
      const [time, previous] = [now(), paidAt.get(customerId) ?? 0];
      const start = Math.max(time, previous);
      paidAt.set(customerId, Math.min(start + (size * 1000) / perSecond, time + maxDelayMs));
      return start - time;
    },
  };
}
