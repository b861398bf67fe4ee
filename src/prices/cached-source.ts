import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { atMostEntries } from '../async/cache-size';
import { resolveWithin } from '../async/resolve-within';
import { describeFailure } from '../errors/describe-failure';
import type { PricedToken, PriceObservation, TokenPriceSource } from './token-price';

/** A source whose results are shared between callers. */
export interface CachedSource {
  /**
   * The fresh observation; `undefined` without one, and when the source fails or takes longer than `waitMs`: its result then
   * serves later callers. Never rejects.
   */
  load(token: PricedToken, waitMs: number): Promise<PriceObservation | undefined>;
}

/** Maximum time of a call to a source. */
const CALL_MS = 8000;
const MAX_CACHED = 20_000;
/** Interval of the warnings about a source that fails. */
const WARNING_INTERVAL_MS = 600_000;

/** Reads the tokens of a chain that are requested at the same time together, and keeps the results for a while. */
export function cachedSource(source: TokenPriceSource, { log }: { readonly log: Pick<Logger, 'warn'> }): CachedSource {
  // A loader for each chain: the failure of one chain, or of a request for it, does not affect the others.
  const loaders = new Map<number, DataLoader<PricedToken, PriceObservation | undefined>>();
  const loaderOf = (chainId: number): DataLoader<PricedToken, PriceObservation | undefined> => {
    const loader = loaders.get(chainId) ?? createLoader(source);
    loaders.set(chainId, loader);
    return loader;
  };
  const cache = new LRUCache<string, { readonly observed: PriceObservation | undefined }, PricedToken>({
    ...atMostEntries(MAX_CACHED),
    ttl: source.cacheMs,
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context, options }) => {
      const observed = await loaderOf(context.chain.chainId).load(context);
      if (observed === undefined && !isListed(context)) options.ttl = source.absentMs ?? source.cacheMs;
      // A price is never reused once it is stale.
      const freshMs = observed?.freshUntil === undefined ? Infinity : observed.freshUntil.getTime() - Date.now();
      if (freshMs < source.cacheMs) options.ttl = Math.max(1, freshMs);
      return { observed };
    },
  });
  let warnedAt = -Infinity;
  const warn = (error: unknown): void => {
    if (Date.now() - warnedAt < WARNING_INTERVAL_MS) return;
    warnedAt = Date.now();
    log.warn({ source: source.id, cause: describeFailure(error) }, 'a source of prices fails; prices do without it');
  };
  return {
    async load(token, waitMs) {
      if (!source.covers(token)) return undefined;
      const loading = cache.forceFetch(tokenKey(token), { context: token });
      // Also when no caller waits any more.
      loading.catch(warn);
      const found = await resolveWithin(loading, waitMs).catch(() => undefined);
      return found?.observed;
    },
  };
}

/** With the decimals, which are part of the price of a base unit: the caller states them. */
const tokenKey = ({ chain, address, decimals }: PricedToken): string =>
  `${String(chain.chainId)}:${address}:${String(decimals)}`;

const isListed = ({ chain, address }: PricedToken): boolean => chain.tokens.some((token) => token.address === address);

const createLoader = (source: TokenPriceSource): DataLoader<PricedToken, PriceObservation | undefined> =>
  new DataLoader(
    async (tokens) => {
      const signal = AbortSignal.timeout(CALL_MS);
      const results = new Map<PricedToken, PriceObservation | Error | undefined>();
      await Promise.all(
        withoutRepeats(tokens).map(async (batch) => {
          // The failure of one call does not affect the tokens of the others.
          const observed = await source.observe(batch, signal).catch((error: unknown) => error as Error);
          for (const token of batch) {
            results.set(token, observed instanceof Error ? observed : observed.get(token.address));
          }
        }),
      );
      return tokens.map((token) => results.get(token));
    },
    { cache: false, maxBatchSize: source.maxBatch },
  );

/** Splits the tokens so that no batch has an address twice: a source returns one observation of an address. */
function withoutRepeats(tokens: readonly PricedToken[]): readonly (readonly PricedToken[])[] {
  const batches: PricedToken[][] = [];
  const repeats = new Map<string, number>();
  for (const token of tokens) {
    const index = repeats.get(token.address) ?? 0;
    repeats.set(token.address, index + 1);
    (batches[index] ??= []).push(token);
  }
  return batches;
}
