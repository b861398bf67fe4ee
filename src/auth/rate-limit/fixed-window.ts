import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { coalesceCounts, type WindowCount, type WindowDecision } from './coalesced-count';

/** Counts requests by key in windows of a fixed length that start with the first request, over all processes. */
export interface FixedWindow {
  consume(key: string, limit: number, cost: number): Promise<WindowDecision>;
}

/** While the database is unavailable, each process counts separately. */
export function createFixedWindow(deps: { pool: Pool; name: string; seconds: number }): FixedWindow {
  const limiters = new LRUCache<number, RateLimiterPostgres>({ max: 1000 });

  function limiterFor(limit: number): RateLimiterPostgres {
    const existing = limiters.get(limit);
    if (existing !== undefined) return existing;
    const window = { points: limit, duration: deps.seconds, keyPrefix: deps.name };
    const limiter = new RateLimiterPostgres({
      ...window,
      storeClient: deps.pool,
      storeType: 'pool',
      tableName: 'rate_limit',
      tableCreated: true,
      clearExpiredByTimeout: false,
      inMemoryBlockOnConsumed: limit,
      insuranceLimiter: new RateLimiterMemory(window),
    });
    limiters.set(limit, limiter);
    return limiter;
  }

  async function count(key: string, limit: number, cost: number): Promise<WindowCount> {
    try {
      return countOf(await limiterFor(limit).consume(key, cost), limit + cost);
    } catch (rejection) {
      if (rejection instanceof RateLimiterRes) return countOf(rejection, limit + cost);
      throw rejection;
    }
  }
  return { consume: coalesceCounts(count) };
}

/** A key that exceeded its limit is refused from memory, without a count. */
const countOf = ({ consumedPoints, msBeforeNext }: RateLimiterRes, consumedWhenBlocked: number): WindowCount => ({
  consumed: consumedPoints === 0 ? consumedWhenBlocked : consumedPoints,
  resetMs: msBeforeNext,
});
