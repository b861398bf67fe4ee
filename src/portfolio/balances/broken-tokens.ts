import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';
import { atMostEntries } from '../../async/cache-size';
import type { CustomerId } from '../../auth/principal';
import { addressKey } from '../../chains/addresses';

/** Tokens that make calls fail, shared by all replicas and customers. */
export interface BrokenTokens {
  /**
   * Canonical addresses of a chain's tokens in quarantine for the customer, at most a few seconds old. Without the database
   * only those that concern the customer alone.
   */
  quarantined(chainId: number, customerId: CustomerId): Promise<ReadonlySet<string>>;
  /**
   * Counts a strike for each token, at most one a minute. The second within two days quarantines a token. A customer strikes a
   * bounded number of tokens; further ones are in quarantine for that customer alone, in this process. Never throws.
   */
  strike(strikes: Strikes): Promise<void>;
}

interface Strikes {
  /** Whose request has found the tokens. */
  readonly customerId: CustomerId;
  readonly chainId: number;
  /** Canonical addresses. */
  readonly tokens: readonly string[];
}

export interface BrokenTokensDeps {
  readonly pool: Pick<Pool, 'query'>;
  readonly log: Pick<Logger, 'warn'>;
  /** How long the list is cached, 0 for not at all; five seconds by default. */
  readonly cacheMs?: number;
}

const CACHE_MS = 5000;
const MAX_CHAINS = 500;
const MAX_CUSTOMERS = 10_000;
const HOUR_MS = 3_600_000;
/** Strikes of one customer and hour in one process. */
const MAX_STRIKES_PER_HOUR = 500;
/** Customers and chains with tokens beyond these strikes, and how many tokens each may have: some megabytes. */
const MAX_OWN_SETS = 100;
const MAX_OWN_TOKENS = 2000;
/** Tokens of one chain that are stored. Above it those in no quarantine with the oldest strike make room. */
const MAX_TOKENS_PER_CHAIN = 10_000;
/** Cooldown after the second strike. Each further strike doubles it, up to 16 hours. */
const FIRST_COOLDOWN_SECONDS = 3600;
const MAX_DOUBLINGS = 4;

const QUARANTINED = `
  SELECT token FROM "BrokenToken" WHERE "chainId" = $1 AND "quarantinedUntil" > now() LIMIT ${String(MAX_TOKENS_PER_CHAIN)}`;

/**
 * Strikes that are more than two days apart do not add up. Several strikes within a minute are one: concurrent requests find
 * the same token. A token in quarantine was read by a request that began before.
 */
const STRIKE = `
  INSERT INTO "BrokenToken" AS broken ("chainId", token)
  SELECT $1, struck.token FROM unnest($2::text[]) AS struck (token)
  ON CONFLICT ("chainId", token) DO UPDATE SET
    strikes = CASE WHEN broken."updatedAt" < now() - interval '2 days' THEN 1 ELSE broken.strikes + 1 END,
    "quarantinedUntil" = CASE WHEN broken."updatedAt" < now() - interval '2 days' THEN NULL
      ELSE now() + make_interval(secs => ${String(FIRST_COOLDOWN_SECONDS)} * 2 ^ least(broken.strikes - 1, ${String(MAX_DOUBLINGS)})) END,
    "updatedAt" = now()
  WHERE broken."updatedAt" < now() - interval '1 minute' AND coalesce(broken."quarantinedUntil", '-infinity') < now()
  RETURNING token, strikes`;

const REMOVE_EXCESS = `
  DELETE FROM "BrokenToken" WHERE ("chainId", token) IN (
    SELECT "chainId", token FROM "BrokenToken" WHERE "chainId" = $1
     ORDER BY (coalesce("quarantinedUntil", '-infinity') > now()) DESC, "updatedAt" DESC, token
    OFFSET ${String(MAX_TOKENS_PER_CHAIN)})`;

const tokenRows = z.array(z.object({ token: z.string() }));
const strikeRows = z.array(z.object({ token: z.string(), strikes: z.int() }));

export function createBrokenTokens({ pool, log, cacheMs = CACHE_MS }: BrokenTokensDeps): BrokenTokens {
  const cache = new LRUCache<number, ReadonlySet<string>>({
    max: MAX_CHAINS,
    ttl: Math.max(1, cacheMs),
    fetchMethod: async (chainId) => {
      const { rows } = await pool.query(QUARANTINED, [chainId]);
      return new Set(tokenRows.parse(rows).map(({ token }) => token));
    },
  });
  /** Strikes of customers in this process. The hour begins with the first one. */
  const struck = new LRUCache<CustomerId, number>({ ...atMostEntries(MAX_CUSTOMERS), ttl: HOUR_MS, noUpdateTTL: true });
  const remainingStrikes = (customerId: CustomerId): number =>
    Math.max(0, MAX_STRIKES_PER_HOUR - (struck.get(customerId) ?? 0));
  const ownSets = new LRUCache<string, Set<string>>({ max: MAX_OWN_SETS, ttl: HOUR_MS });
  const keepForCustomer = ({ customerId, chainId, tokens }: Strikes): void => {
    const key = ownKey(chainId, customerId);
    const own = ownSets.get(key) ?? new Set();
    for (const token of tokens) if (own.size < MAX_OWN_TOKENS) own.add(token);
    if (own.size > 0 && !ownSets.has(key)) ownSets.set(key, own);
  };
  const shared = async (chainId: number): Promise<ReadonlySet<string>> => {
    try {
      return await cache.forceFetch(chainId, { forceRefresh: cacheMs === 0 });
    } catch (error) {
      log.warn({ err: error, chainId }, 'loading the quarantined tokens failed');
      return new Set();
    }
  };
  return {
    async quarantined(chainId, customerId) {
      const own = ownSets.get(ownKey(chainId, customerId));
      const ofAll = await shared(chainId);
      return own === undefined ? ofAll : new Set([...ofAll, ...own]);
    },
    async strike({ customerId, chainId, tokens }) {
      const allowed = tokens.slice(0, remainingStrikes(customerId));
      keepForCustomer({ customerId, chainId, tokens: tokens.slice(allowed.length) });
      if (allowed.length === 0) return;
      struck.set(customerId, (struck.get(customerId) ?? 0) + allowed.length);
      try {
        const { rows } = await pool.query(STRIKE, [chainId, [...allowed].sort(byKey)]);
        await pool.query(REMOVE_EXCESS, [chainId]);
        for (const { token, strikes } of strikeRows.parse(rows)) {
          log.warn(
            { chainId, tokenAddress: token, strikes },
            'the balance of a token cannot be read together with others',
          );
        }
        cache.delete(chainId);
      } catch (error) {
        log.warn({ err: error, chainId }, 'counting the strikes of tokens failed');
      }
    },
  };
}

const ownKey = (chainId: number, customerId: CustomerId): string => `${String(chainId)}:${customerId}`;

/** One order of the row locks in all processes. */
const byKey = (one: string, other: string): number => (addressKey(one) < addressKey(other) ? -1 : 1);
