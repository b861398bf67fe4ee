import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';
import { atMostEntries } from '../../async/cache-size';
import type { Chain } from '../../chains/chain';
import type { ChainTable } from '../../chains/chain-table';
import { trustedTokens } from '../../chains/trusted-tokens';
import { describeFailure } from '../../errors/describe-failure';
import type { Token } from '../../tokens/token';
import type { PricedToken } from '../token-price';
import type { SampleDeps, SampledToken } from './price-sample-store';

export interface ListedTokensDeps {
  readonly chains: Pick<ChainTable, 'all'>;
  /** True for chains whose tokens this deployment prices. */
  readonly isServed: (chain: Chain) => boolean;
  /** Maximum number of listed tokens, and of requested tokens. */
  readonly maximum?: number;
}

const MAX_TOKENS = 500;

/**
 * The listed tokens that are always sampled: those that other prices are derived from, then the others of each chain in
 * turns, so that a long list of one chain leaves out no other chain.
 */
export function alwaysSampled({ chains, isServed, maximum = MAX_TOKENS }: ListedTokensDeps): readonly Token[] {
  const served = chains.all.filter(isServed);
  const first = served.flatMap((chain) => listedTokens(chain, (address) => trustedTokens(chain).has(address)));
  const others = served.map((chain) => listedTokens(chain, (address) => !trustedTokens(chain).has(address)));
  const maxLength = Math.max(0, ...others.map(({ length }) => length));
  const inTurns = Array.from({ length: maxLength }, (_, index) => others.flatMap((tokens) => tokens[index] ?? []));
  return [...first, ...inTurns.flat()].slice(0, maximum);
}

const listedTokens = ({ chainId, tokens }: Chain, isWanted: (address: string) => boolean): readonly Token[] =>
  tokens.filter(({ address }) => isWanted(address)).map((token) => ({ logoURI: undefined, ...token, chainId }));

/** A token is stored again after this time, so that its requests cost one statement an hour. */
const REPEAT_MS = 3_600_000;
const MAX_REMEMBERED = 20_000;
/** Tokens that a customer may add to the samples in a day. */
const MAX_NEW_TOKENS = 50;

/** New tokens beyond the quota are left out, known ones are stored with the time of the request. */
const UPSERT = `
  INSERT INTO "SampledToken" ("customerId", "chainId", token, decimals)
  SELECT $1, "chainId", token, decimals
    FROM (SELECT requested.*, known.token IS NULL AS is_new,
                 count(*) FILTER (WHERE known.token IS NULL)
                   OVER (ORDER BY requested."chainId", requested.token ROWS UNBOUNDED PRECEDING) AS position
            FROM unnest($2::bigint[], $3::text[], $4::int[]) AS requested("chainId", token, decimals)
            LEFT JOIN "SampledToken" AS known
              ON known."customerId" = $1 AND known."chainId" = requested."chainId" AND known.token = requested.token) AS ranked
   WHERE NOT is_new OR position <= $5 - (
     SELECT count(*) FROM "SampledToken" WHERE "customerId" = $1 AND "createdAt" > now() - interval '1 day')
   ORDER BY "chainId", token
  ON CONFLICT ("customerId", "chainId", token) DO UPDATE SET "requestedAt" = now(), decimals = EXCLUDED.decimals`;

/** The quota counts the rows that are committed: concurrent requests of a customer take turns, in all replicas. */
const LOCK = `SELECT 1 FROM pg_advisory_xact_lock(hashtextextended('sampled tokens of ' || $1, 0))`;

async function storeWithinQuota(
  pool: Pick<Pool, 'connect'>,
  customerId: string,
  values: readonly unknown[],
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(LOCK, [customerId]);
    await client.query(UPSERT, [customerId, ...values]);
    await client.query('COMMIT');
  } catch (error) {
    // Closing the connection ends the transaction.
    client.release(true);
    throw error;
  }
  client.release();
}

export interface TokenRecorderDeps extends ListedTokensDeps {
  readonly pool: Pick<Pool, 'connect'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Tokens that a customer may add in a day. */
  readonly maxNewTokens?: number;
}

/** Stores which tokens a customer requests besides those that are always sampled, so that they are sampled. Never rejects. */
export type TokenRecorder = (customerId: string, tokens: readonly PricedToken[]) => Promise<void>;

export function createTokenRecorder(deps: TokenRecorderDeps): TokenRecorder {
  const { pool, log, maxNewTokens = MAX_NEW_TOKENS } = deps;
  const always = new Set(alwaysSampled(deps).map(tokenKey));
  const recorded = new LRUCache<string, true>({ ...atMostEntries(MAX_REMEMBERED), ttl: REPEAT_MS });
  return async (customerId, tokens) => {
    const fresh = new Map<string, SampledToken & { readonly decimals: number }>();
    for (const { chain, address, decimals } of tokens) {
      const token = { chainId: chain.chainId, address, decimals };
      const key = `${customerId}:${tokenKey(token)}`;
      if (!always.has(tokenKey(token)) && !recorded.has(key)) fresh.set(key, token);
    }
    if (fresh.size === 0) return;
    for (const key of fresh.keys()) recorded.set(key, true);
    const rows = [...fresh.values()];
    const columns = [
      rows.map(({ chainId }) => chainId),
      rows.map(({ address }) => address),
      rows.map(({ decimals }) => decimals),
    ];
    await storeWithinQuota(pool, customerId, [...columns, maxNewTokens]).catch((error: unknown) => {
      for (const key of fresh.keys()) recorded.delete(key);
      log.warn({ cause: describeFailure(error) }, 'the tokens to sample could not be stored');
    });
  };
}

const tokenKey = ({ chainId, address }: SampledToken): string => `${String(chainId)}:${address}`;

/** Tokens of many customers come first, then those of all customers in turns: none can displace the tokens of another one. */
const REQUESTED = `
  SELECT "chainId"::text, token AS address, max(decimals) AS decimals
    FROM (SELECT *, row_number() OVER (PARTITION BY "customerId" ORDER BY "requestedAt" DESC, "chainId", token) AS turn
            FROM "SampledToken") AS requested
   GROUP BY "chainId", token
   ORDER BY count(*) DESC, min(turn), max("requestedAt") DESC
   LIMIT $1`;
const requestedTokens = z.array(
  z.object({
    chainId: z.string().transform((text) => Number.parseInt(text, 10)),
    address: z.string(),
    decimals: z.int(),
  }),
);

export interface SampledTokensDeps extends SampleDeps, ListedTokensDeps {
  readonly log?: Pick<Logger, 'warn'>;
}

/** The tokens to sample: the listed ones of the served chains, and those that customers requested. */
export async function tokensToSample(deps: SampledTokensDeps): Promise<readonly Token[]> {
  const { pool, chains, isServed, log, maximum = MAX_TOKENS } = deps;
  const served = chains.all.filter(isServed);
  const listed = served.reduce((count, { tokens }) => count + tokens.length, 0);
  if (listed > maximum)
    log?.warn({ listed, maximum }, 'not all listed tokens are sampled: the others are when requested');
  const servedIds = new Set(served.map(({ chainId }) => chainId));
  const requested = requestedTokens
    .parse((await pool.query(REQUESTED, [maximum])).rows)
    .filter(({ chainId }) => servedIds.has(chainId))
    .map((token) => ({ ...token, symbol: '', name: '', logoURI: undefined }));
  return [...alwaysSampled(deps), ...requested];
}
