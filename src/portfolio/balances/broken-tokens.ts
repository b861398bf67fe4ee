import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';
import { addressKey } from '../../chains/addresses';

/** Tokens that make calls fail, shared by all replicas and customers. */
export interface BrokenTokens {
  /** Canonical addresses of a chain's tokens in quarantine, at most a few seconds old. Empty without the database. */
  quarantined(chainId: number): Promise<ReadonlySet<string>>;
  /** Counts a strike for each token. The second within two days quarantines a token. Never throws. */
  strike(chainId: number, tokens: readonly string[]): Promise<void>;
}

export interface BrokenTokensDeps {
  readonly pool: Pick<Pool, 'query'>;
  readonly log: Pick<Logger, 'warn'>;
  /** How long the list is cached; five seconds by default. */
  readonly cacheMs?: number;
}

const CACHE_MS = 5000;
const MAX_CHAINS = 500;
/** Tokens of one chain that are remembered. Above it no further token is quarantined. */
const MAX_TOKENS_PER_CHAIN = 10_000;
/** Cooldown after the second strike. Each further strike doubles it, up to 16 hours. */
const FIRST_COOLDOWN_SECONDS = 3600;
const MAX_DOUBLINGS = 4;

const QUARANTINED = `
  SELECT token FROM "BrokenToken" WHERE "chainId" = $1 AND "quarantinedUntil" > now() LIMIT ${String(MAX_TOKENS_PER_CHAIN)}`;

/** Strikes that are more than two days apart do not add up. */
const STRIKE = `
  INSERT INTO "BrokenToken" AS broken ("chainId", token)
  SELECT $1, struck.token FROM unnest($2::text[]) AS struck (token)
   WHERE (SELECT count(*) FROM (SELECT 1 FROM "BrokenToken" WHERE "chainId" = $1 LIMIT ${String(MAX_TOKENS_PER_CHAIN)}) AS kept)
         < ${String(MAX_TOKENS_PER_CHAIN)}
      OR EXISTS (SELECT 1 FROM "BrokenToken" AS known WHERE known."chainId" = $1 AND known.token = struck.token)
  ON CONFLICT ("chainId", token) DO UPDATE SET
    strikes = CASE WHEN broken."updatedAt" < now() - interval '2 days' THEN 1 ELSE broken.strikes + 1 END,
    "quarantinedUntil" = CASE WHEN broken."updatedAt" < now() - interval '2 days' THEN NULL
      ELSE now() + make_interval(secs => ${String(FIRST_COOLDOWN_SECONDS)} * 2 ^ least(broken.strikes - 1, ${String(MAX_DOUBLINGS)})) END,
    "updatedAt" = now()
  RETURNING token, strikes`;

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
  return {
    async quarantined(chainId) {
      try {
        return await cache.forceFetch(chainId);
      } catch (error) {
        log.warn({ err: error, chainId }, 'loading the quarantined tokens failed');
        return new Set();
      }
    },
    async strike(chainId, tokens) {
      if (tokens.length === 0) return;
      try {
        const { rows } = await pool.query(STRIKE, [chainId, [...tokens].sort(byKey)]);
        for (const { token, strikes } of strikeRows.parse(rows)) {
          log.warn({ chainId, token, strikes }, 'the balance of a token cannot be read together with others');
        }
        cache.delete(chainId);
      } catch (error) {
        log.warn({ err: error, chainId }, 'counting the strikes of tokens failed');
      }
    },
  };
}

/** One order of the row locks in all processes. */
const byKey = (one: string, other: string): number => (addressKey(one) < addressKey(other) ? -1 : 1);
