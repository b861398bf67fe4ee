import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { atMostEntries } from '../../async/cache-size';
import { resolveWithin } from '../../async/resolve-within';
import { coalesceCounts, type CountedBatch, type WindowCount, type WindowDecision } from './coalesced-count';
import { createMemoryWindow, createStoredWindow } from './window-counter-stores';

/** Counts requests by key in windows of a fixed length that start with the first request, over all processes. */
export interface WindowCounter {
  consume(key: string, limit: number, cost: number): Promise<CountedRequest>;
}

export interface CountedRequest extends WindowDecision {
  /** Takes back the request. Without a database, it is taken back when the key is counted there again. Never rejects. */
  refund(): Promise<void>;
}

const STORE_TIMEOUT_MS = 2000;
/** Time without a further attempt after the database failed. */
const STORE_COOLDOWN_MS = 1000;
const MAX_KEYS = 50_000;
/** How long a used-up key is refused without a query. Another replica may refund a request of it meanwhile. */
const MAX_BLOCK_MS = 5000;

interface WindowCounterOptions {
  readonly pool: Pool;
  readonly name: string;
  readonly seconds: number;
  /** Maximum wait for the database before a request is counted in memory, in milliseconds; 2,000 by default. */
  readonly storeTimeoutMs?: number | undefined;
}

/** While the database is unavailable, each process counts separately. A used-up key is refused without a query. */
export function createWindowCounter({
  pool,
  storeTimeoutMs = STORE_TIMEOUT_MS,
  ...options
}: WindowCounterOptions): WindowCounter {
  const [stored, local] = [createStoredWindow(pool, options), createMemoryWindow(options)];
  const blocked = new LRUCache<string, Block>(atMostEntries(MAX_KEYS));
  const owed = createOwedRefunds((key, cost) => stored.refund(key, cost));
  let storeRetryAt = 0;
  const isStoreCoolingDown = (): boolean => performance.now() < storeRetryAt;

  async function countStored(key: string, limit: number, batch: CountedBatch): Promise<WindowCount> {
    if (isStoreCoolingDown()) return local.count(key, limit, batch);
    // The requests themselves report the outage.
    const counting = owed
      .pay(key)
      .then(() => stored.count(key, limit, batch))
      .catch(() => undefined);
    const count = await resolveWithin(counting, storeTimeoutMs);
    if (count !== undefined) return count;
    storeRetryAt = performance.now() + STORE_COOLDOWN_MS;
    return local.count(key, limit, batch);
  }

  async function count(key: string, limit: number, batch: CountedBatch): Promise<WindowCount> {
    const name = blockName(key, limit);
    const [now, block] = [performance.now(), blocked.get(name)];
    if (block !== undefined && now < Math.min(block.until, block.resetAt)) {
      return { admitted: 0, consumed: limit, resetMs: block.resetAt - now, isLocal: true };
    }
    const counted = await countStored(key, limit, batch);
    const countedAt = performance.now();
    if (counted.consumed >= limit) {
      blocked.set(name, { until: countedAt + MAX_BLOCK_MS, resetAt: countedAt + counted.resetMs });
    }
    return counted;
  }

  const consume = coalesceCounts(count);
  return {
    async consume(key, limit, cost) {
      const decision = await consume(key, limit, cost);
      const endsAt = performance.now() + decision.resetMs;
      return {
        ...decision,
        async refund() {
          blocked.delete(blockName(key, limit));
          if (decision.isLocal) await local.refund(key, limit, cost);
          else {
            owed.add(key, { cost, endsAt });
            if (!isStoreCoolingDown()) await owed.pay(key).catch(() => undefined);
          }
        },
      };
    },
  };
}

/** A used-up key. Times on the clock of `performance`. */
interface Block {
  /** When the database is queried again. */
  readonly until: number;
  /** When the window ends. */
  readonly resetAt: number;
}

const blockName = (key: string, limit: number): string => `${String(limit)} ${key}`;

interface OwedRefund {
  readonly cost: number;
  /** When the window ends in which the request was counted, on the clock of `performance`. */
  readonly endsAt: number;
}

/** Refunds that the database could not make yet, by key. */
function createOwedRefunds(refund: (key: string, cost: number) => Promise<void>) {
  const owed = new LRUCache<string, OwedRefund>(atMostEntries(MAX_KEYS));
  const add = (key: string, { cost, endsAt }: OwedRefund): void => {
    const now = performance.now();
    if (endsAt <= now) return;
    const earlier = owed.get(key);
    owed.set(key, { cost: cost + (earlier !== undefined && earlier.endsAt > now ? earlier.cost : 0), endsAt });
  };
  return {
    add,
    /** Makes the refunds of a key. @throws the database's error; the refunds stay owed */
    async pay(key: string): Promise<void> {
      const due = owed.get(key);
      owed.delete(key);
      if (due === undefined || due.endsAt <= performance.now()) return;
      try {
        await refund(key, due.cost);
      } catch (error) {
        add(key, due);
        throw error;
      }
    },
  };
}
