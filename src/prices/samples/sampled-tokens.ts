import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { ChainTable } from '../../chains/chain-table';
import { describeFailure } from '../../errors/describe-failure';
import type { Token } from '../../tokens/token';
import type { PricedToken } from '../token-price';
import type { SampleDeps } from './price-sample-store';

/** A token is stored again after this time, so that its requests cost one statement an hour. */
const REPEAT_MS = 3_600_000;
const MAX_REMEMBERED = 20_000;

const UPSERT = `
  INSERT INTO "SampledToken" ("chainId", token, decimals)
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::int[]) ORDER BY 1, 2
  ON CONFLICT ("chainId", token) DO UPDATE SET "requestedAt" = now()`;

export interface TokenRecorderDeps extends SampleDeps {
  readonly log: Pick<Logger, 'warn'>;
}

/** Stores which unlisted tokens are requested, so that they are sampled. Never rejects. */
export type TokenRecorder = (tokens: readonly PricedToken[]) => Promise<void>;

export function createTokenRecorder({ pool, log }: TokenRecorderDeps): TokenRecorder {
  const recorded = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: REPEAT_MS });
  return async (tokens) => {
    const keyOf = ({ chain, address }: PricedToken): string => `${String(chain.chainId)}:${address}`;
    const isListed = ({ chain, address }: PricedToken): boolean =>
      chain.tokens.some((token) => token.address === address);
    const fresh = new Map(
      tokens.filter((token) => !isListed(token) && !recorded.has(keyOf(token))).map((token) => [keyOf(token), token]),
    );
    if (fresh.size === 0) return;
    for (const key of fresh.keys()) recorded.set(key, true);
    const rows = [...fresh.values()];
    const columns = [
      rows.map(({ chain }) => chain.chainId),
      rows.map(({ address }) => address),
      rows.map(({ decimals }) => decimals),
    ];
    await pool.query(UPSERT, columns).catch((error: unknown) => {
      for (const key of fresh.keys()) recorded.delete(key);
      log.warn({ cause: describeFailure(error) }, 'the tokens to sample could not be stored');
    });
  };
}

const RECENT = `
  SELECT "chainId"::text, token AS address, decimals FROM "SampledToken" ORDER BY "requestedAt" DESC LIMIT $1`;
const recent = z.array(
  z.object({
    chainId: z.string().transform((text) => Number.parseInt(text, 10)),
    address: z.string(),
    decimals: z.int(),
  }),
);

export interface SampledTokensDeps extends SampleDeps {
  readonly chains: Pick<ChainTable, 'all'>;
  /** True for chains whose tokens this deployment prices. */
  readonly isServed: (chainId: number) => boolean;
  /** Maximum number of listed tokens, and of requested tokens. */
  readonly maximum?: number;
}

const MAX_TOKENS = 500;

/** The tokens to sample: the listed ones of the served chains, and unlisted ones, the last requested first. */
export async function tokensToSample(deps: SampledTokensDeps): Promise<readonly Token[]> {
  const { pool, chains, isServed, maximum = MAX_TOKENS } = deps;
  const listed = chains.all
    .filter(({ chainId, kind }) => kind === 'fiat' || isServed(chainId))
    .flatMap(({ chainId, tokens }) => tokens.map((token) => ({ logoURI: undefined, ...token, chainId })));
  const { rows } = await pool.query(RECENT, [maximum]);
  const requested = recent
    .parse(rows)
    .filter(({ chainId }) => isServed(chainId))
    .map((token) => ({ ...token, symbol: '', name: '', logoURI: undefined }));
  return [...listed.slice(0, maximum), ...requested];
}
