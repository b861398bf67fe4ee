import type { Logger } from 'pino';
import type { Config } from '../config/config';
import { createHttpClient, type HttpClient } from '../http/http-client';
import { createTokenPriceReader } from '../prices/token-price-reader';
import type { PricePoolDeps } from '../prices/price-pools';
import { createChainlinkSource } from '../prices/sources/chainlink/chainlink';
import { coinGeckoHeaders, createCoinGeckoSource } from '../prices/sources/coingecko/coingecko';
import { createDefiLlamaSource } from '../prices/sources/defillama/defillama';
import { createPtaxSource } from '../prices/sources/ptax/ptax';
import { createPythSource } from '../prices/sources/pyth/pyth';
import { type RequestBudget, withinBudget } from '../prices/sources/request-budget';
import type { TokenPriceReader, TokenPriceSource } from '../prices/token-price';
import type { Rpc } from '../rpc/rpc';
import type { ProviderGuards } from '../venues/provider-guards';

export interface TokenPriceParts {
  readonly tokenPrices: TokenPriceReader;
  close(): Promise<void>;
}

export interface TokenPricePartsDeps extends PricePoolDeps {
  readonly config: Config;
  readonly rpc: Rpc;
  readonly guards: Pick<ProviderGuards, 'run'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** A price source with its URL and credentials. */
interface ThirdParty {
  /** `undefined` when it is not configured. */
  readonly baseUrl: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly create: (deps: { readonly http: HttpClient }) => TokenPriceSource;
  /** Default: `PRICE_REQUESTS_PER_MINUTE`. */
  readonly budget?: RequestBudget;
}

/** Bound of a response: some ten times the largest expected one. */
const MAX_BYTES = 500_000;
const MIN_TIMEOUT_MS = 5000;
const MINUTE_MS = 60_000;
const MONTH_MS = 30 * 86_400_000;
/** Requests that CoinGecko's demo plan allows in a minute. */
const COINGECKO_BURST = 30;

/** Opens the reader of token prices with the configured sources. */
export function openTokenPrices({ config, rpc, pools, guards, log }: TokenPricePartsDeps): TokenPriceParts {
  const opened: HttpClient[] = [];
  const perMinute = config.PRICE_REQUESTS_PER_MINUTE;
  const timeoutMs = Math.max(MIN_TIMEOUT_MS, config.READ_TIMEOUT_MS);
  const defaultBudget: RequestBudget = { burst: perMinute, intervalMs: MINUTE_MS / perMinute };
  const thirdParties = configuredSources(config).flatMap(
    ({ baseUrl, headers = {}, create, budget = defaultBudget }) => {
      if (baseUrl === undefined) return [];
      const http = createHttpClient({ baseUrl, headers, maxBytes: MAX_BYTES, timeoutMs, connections: 8 });
      opened.push(http);
      return [withinBudget(guarded(create({ http }), guards), budget)];
    },
  );
  const sources = [createChainlinkSource({ rpc }), ...thirdParties];
  return {
    tokenPrices: createTokenPriceReader({
      rpc,
      pools,
      chains: config.chains.table,
      sources,
      log,
      waitMs: config.READ_TIMEOUT_MS,
    }),
    async close() {
      await Promise.all(opened.map((http) => http.close()));
    },
  };
}

function configuredSources(config: Config): readonly ThirdParty[] {
  const { COINGECKO_API_KEY: coinGeckoKey, COINGECKO_API_URL: coinGeckoUrl, PYTH_API_KEY: pythKey } = config;
  return [
    { baseUrl: config.DEFILLAMA_API_URL, create: createDefiLlamaSource },
    {
      baseUrl: coinGeckoKey === undefined ? undefined : coinGeckoUrl,
      headers: coinGeckoHeaders(coinGeckoUrl, coinGeckoKey ?? ''),
      create: createCoinGeckoSource,
      budget: { burst: COINGECKO_BURST, intervalMs: MONTH_MS / config.COINGECKO_REQUESTS_PER_MONTH },
    },
    {
      baseUrl: pythKey === undefined ? undefined : config.PYTH_API_URL,
      headers: { authorization: `Bearer ${pythKey ?? ''}` },
      create: createPythSource,
    },
    { baseUrl: config.PTAX_API_URL, create: createPtaxSource },
  ];
}

/** Calls a third party behind a breaker, of its own for each chain. */
const guarded = (source: TokenPriceSource, guards: Pick<ProviderGuards, 'run'>): TokenPriceSource => ({
  ...source,
  observe: (tokens, signal) =>
    guards.run(`prices of ${source.id}`, () => source.observe(tokens, signal), {
      signal,
      name: source.id,
      chains: String(tokens[0]?.chain.chainId),
    }),
});
