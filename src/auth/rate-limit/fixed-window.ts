import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { resolveWithin } from '../../async/resolve-within';
import { coalesceCounts, type CountedBatch, type WindowCount, type WindowDecision } from './coalesced-count';
import { createMemoryWindow, createStoredWindow } from './window-store';

/** Counts requests by key in windows of a fixed length that start with the first request, over all processes. */
export interface FixedWindow {
  consume(key: string, limit: number, cost: number): Promise<WindowDecision>;
  /** Takes back a counted request. Without a database it is taken back in this process only. */
  refund(key: string, limit: number, cost: number): Promise<void>;
}

/** Maximum wait for the database, before a request is counted in memory. */
const STORE_TIMEOUT_MS = 2000;
/** Time without a further attempt after the database failed. */
const STORE_COOLDOWN_MS = 1000;
const MAX_BLOCKED_KEYS = 50_000;

/** While the database is unavailable, each process counts separately. A used-up key is refused without a query. */
export function createFixedWindow({ pool, ...options }: { pool: Pool; name: string; seconds: number }): FixedWindow {
  const [stored, local] = [createStoredWindow(pool, options), createMemoryWindow(options)];
  /** Ends of the windows of used-up keys, on the clock of `performance`. */
  const blocked = new LRUCache<string, number>({ max: MAX_BLOCKED_KEYS });
  let storeRestsUntil = 0;
  const storeRests = (): boolean => performance.now() < storeRestsUntil;

  async function countStored(key: string, limit: number, batch: CountedBatch): Promise<WindowCount> {
    if (storeRests()) return local.count(key, limit, batch);
    // The requests themselves report the outage.
    const counting = stored.count(key, limit, batch).catch(() => undefined);
    const count = await resolveWithin(counting, STORE_TIMEOUT_MS);
    if (count !== undefined) return count;
    storeRestsUntil = performance.now() + STORE_COOLDOWN_MS;
    return local.count(key, limit, batch);
  }

  async function count(key: string, limit: number, batch: CountedBatch): Promise<WindowCount> {
    const name = `${String(limit)} ${key}`;
    const resetMs = (blocked.get(name) ?? 0) - performance.now();
    if (resetMs > 0) return { admitted: 0, consumed: limit, resetMs };
    const counted = await countStored(key, limit, batch);
    if (counted.consumed >= limit) blocked.set(name, performance.now() + counted.resetMs);
    return counted;
  }

  return {
    consume: coalesceCounts(count),
    async refund(key, limit, cost) {
      blocked.delete(`${String(limit)} ${key}`);
      await local.refund(key, limit, cost);
      if (!storeRests()) await stored.refund(key, limit, cost).catch(() => undefined);
    },
  };
}
