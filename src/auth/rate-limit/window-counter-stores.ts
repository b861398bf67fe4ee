import type { Pool } from 'pg';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { CountedBatch, WindowCount } from './coalesced-count';

/** Counts over all processes. */
export interface StoredWindow {
  count(key: string, limit: number, batch: CountedBatch): Promise<WindowCount>;
  /** Takes back counted requests, as long as their window has not ended. */
  refund(key: string, cost: number): Promise<void>;
}

/** Counts in this process alone. */
export interface MemoryWindow {
  count(key: string, limit: number, batch: CountedBatch): Promise<WindowCount>;
  refund(key: string, limit: number, cost: number): Promise<void>;
}

export interface WindowStoreOptions {
  /** Prefix of the keys, which are unique over all windows. */
  readonly name: string;
  readonly seconds: number;
}

/** The database's clock in Unix milliseconds: windows last equally long whatever the clock of a replica shows. */
const NOW = `(extract(epoch FROM now()) * 1000)::bigint`;

/**
 * Admits as many requests as fit into the limit and counts only those: a request that is refused as a whole leaves the rest
 * of the limit to smaller ones. `admitted` belongs to the statement that wrote the row last, which is this one.
 */
const COUNT = `
  INSERT INTO rate_limit AS held (key, points, expire, admitted)
  VALUES ($1, LEAST($4::int, $2::int / $3::int) * $3::int, ${NOW} + $5::bigint, LEAST($4::int, $2::int / $3::int))
  ON CONFLICT (key) DO UPDATE SET
    points = CASE WHEN held.expire <= ${NOW} THEN EXCLUDED.points
      ELSE held.points + LEAST($4::int, GREATEST($2::int - held.points, 0) / $3::int) * $3::int END,
    admitted = CASE WHEN held.expire <= ${NOW} THEN EXCLUDED.admitted
      ELSE LEAST($4::int, GREATEST($2::int - held.points, 0) / $3::int) END,
    expire = CASE WHEN held.expire <= ${NOW} THEN EXCLUDED.expire ELSE held.expire END
  RETURNING admitted, points AS consumed, (expire - ${NOW})::int AS "resetMs"`;

const REFUND = `UPDATE rate_limit SET points = GREATEST(points - $2, 0) WHERE key = $1 AND expire > ${NOW}`;

const countSchema = z.object({ admitted: z.number(), consumed: z.number(), resetMs: z.number() });

/** Largest number of the column. */
const MAX_POINTS = 2 ** 31 - 1;

export function createStoredWindow(pool: Pick<Pool, 'query'>, { name, seconds }: WindowStoreOptions): StoredWindow {
  const keyOf = (key: string): string => `${name}:${key}`;
  return {
    async count(key, limit, { cost, requests }) {
      const values = [keyOf(key), Math.min(limit, MAX_POINTS), cost, requests, seconds * 1000];
      const { rows } = await pool.query({ name: 'count-requests', text: COUNT, values });
      return { ...countSchema.parse(rows[0]), isLocal: false };
    },
    async refund(key, cost) {
      await pool.query(REFUND, [keyOf(key), cost]);
    },
  };
}

const MAX_LIMITERS = 1000;

export function createMemoryWindow({ name, seconds }: WindowStoreOptions): MemoryWindow {
  const limiters = new LRUCache<number, RateLimiterMemory>({ max: MAX_LIMITERS });
  const limiterFor = (limit: number): RateLimiterMemory => {
    const limiter = limiters.get(limit) ?? new RateLimiterMemory({ points: limit, duration: seconds, keyPrefix: name });
    limiters.set(limit, limiter);
    return limiter;
  };
  return {
    async count(key, limit, { cost, requests }) {
      const limiter = limiterFor(limit);
      const requested = cost * requests;
      const { consumedPoints, msBeforeNext } = await limiter.consume(key, requested).catch(refusalOf);
      const before = consumedPoints - requested;
      const admitted = Math.min(requests, Math.max(Math.floor((limit - before) / cost), 0));
      const refused = (requests - admitted) * cost;
      if (refused > 0) await limiter.reward(key, refused);
      return { admitted, consumed: consumedPoints - refused, resetMs: msBeforeNext, isLocal: true };
    },
    async refund(key, limit, cost) {
      const limiter = limiterFor(limit);
      const counted = (await limiter.get(key))?.consumedPoints ?? 0;
      if (counted >= cost) await limiter.reward(key, cost);
    },
  };
}

/** The limiter rejects with its state when the limit is exceeded. */
function refusalOf(rejection: unknown): RateLimiterRes {
  if (rejection instanceof RateLimiterRes) return rejection;
  throw rejection;
}
