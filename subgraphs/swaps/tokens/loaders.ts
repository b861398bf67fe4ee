import DataLoader from 'dataloader';
import type { RequestContext } from '../../../src/auth/request-context';
import type { ChainTable } from '../../../src/chains/chain-table';
import { serviceError } from '../../../src/errors/service-error';
import {
  type PricePoint,
  readHistories,
  type SampledRange,
  type SampleDeps,
} from '../../../src/prices/samples/price-sample-store';
import { parsePriceRange, type RequestedRange } from '../../../src/prices/samples/price-range';
import type { TokenRecorder } from '../../../src/prices/samples/sampled-tokens';
import { pricedToken } from '../../../src/prices/token-price-reader';
import type { PriceResult, TokenPriceReader } from '../../../src/prices/token-price';
import type { Token } from '../../../src/tokens/token';

export interface TokenPriceDeps extends SampleDeps {
  readonly tokenPrices: TokenPriceReader;
  readonly recordTokens: TokenRecorder;
  readonly chains: ChainTable;
}

type HistoryDeps = Pick<TokenPriceDeps, 'pool' | 'chains'>;

export type PriceLoader = DataLoader<Token, PriceResult, string>;

const keyOf = ({ chainId, address }: Token): string => `${String(chainId)}:${address}`;

/** Loads the prices of tokens for one request, all at once. Tokens that have a price are sampled from then on. */
export const createPriceLoader = (
  { tokenPrices, recordTokens, chains }: TokenPriceDeps,
  { principal }: Pick<RequestContext, 'principal'>,
): PriceLoader =>
  new DataLoader(
    async (tokens) => {
      const results = await tokenPrices.read(tokens);
      const found = tokens.filter((_, index) => results[index]?.price !== undefined);
      const priced = found.flatMap((token) => pricedToken(chains, token) ?? []);
      if (principal !== undefined) void recordTokens(principal.customerId, priced);
      return results;
    },
    { cacheKeyFn: keyOf },
  );

/** Each range of a request is a query of its own. */
const MAX_RANGES = 4;

/** Loads price histories for one request: one query for all tokens with the same range. */
export interface HistoryLoader {
  /** `limit` bounds the steps of the range. @throws INVALID_PRICE_RANGE, also for too many different ranges */
  load(token: Token, range: RequestedRange, limit: number | null | undefined): Promise<readonly PricePoint[]>;
}

export function createHistoryLoader(deps: HistoryDeps): HistoryLoader {
  const now = Date.now();
  const loaders = new Map<string, DataLoader<Token, readonly PricePoint[], string>>();
  const loaderOf = (range: SampledRange) => {
    const key = JSON.stringify([range.from, range.to, range.stepSeconds]);
    if (!loaders.has(key) && loaders.size >= MAX_RANGES) {
      throw serviceError('INVALID_PRICE_RANGE', {
        reason: `a request may have at most ${String(MAX_RANGES)} different ranges`,
      });
    }
    const loader =
      loaders.get(key) ??
      new DataLoader<Token, readonly PricePoint[], string>((tokens) => loadHistories(deps, tokens, range), {
        cacheKeyFn: keyOf,
      });
    loaders.set(key, loader);
    return loader;
  };
  return { load: async (token, range, limit) => loaderOf(parsePriceRange(range, limit, now)).load(token) };
}

/** A token that cannot have a price has an empty history. */
async function loadHistories(
  deps: HistoryDeps,
  tokens: readonly Token[],
  range: SampledRange,
): Promise<readonly (readonly PricePoint[])[]> {
  const sampled = tokens.map(({ chainId, address, ...token }) => ({
    chainId,
    address: pricedToken(deps.chains, { ...token, chainId, address })?.address ?? '',
  }));
  return readHistories(deps, sampled, range);
}
