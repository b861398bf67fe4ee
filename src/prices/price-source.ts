import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import type { Address } from 'viem';
import { atMostEntries } from '../async/cache-size';
import { FIAT_CHAIN_ID } from '../chains/chain';
import { tradedToken } from '../chains/addresses';
import type { ChainTable } from '../chains/chain-table';
import { isServiceError } from '../errors/service-error';
import { ONE_DOLLAR, toUsdPrice, type UsdPrice } from '../money/usd';
import type { Token } from '../tokens/token';
import { readChainPrices, type UnitPrice } from './chain-prices';
import { shareOf } from './fraction';
import { BITCOIN_TOKENS, tokensBySymbol, REAL_TOKENS } from './tokens-by-symbol';
import type { PricePoolDeps } from './price-pools';

/**
 * Price of one whole token, rounded down. It is shown, sets budgets of gas, and decides which offers are refused because of
 * their price impact or native fee. No transferred amount depends on it.
 */
interface Price {
  readonly usd: UsdPrice;
  /** Time at which the price was read. */
  readonly asOf: Date;
  /** `peg`, or the pool as in `uniswap-v3:0x…`. */
  readonly source: string;
}

/** Prices that are at most a few seconds old. */
export interface PriceSource {
  /** `undefined` without a fresh price: no deep enough pool, less than 10^-24 dollars, or no response of the node. */
  priceUsd(token: Token): Promise<Price | undefined>;
  /** Prices in the order of the tokens; the tokens of one chain are read together. */
  pricesUsd(tokens: readonly Token[]): Promise<readonly (Price | undefined)[]>;
}

export interface PriceSourceDeps extends PricePoolDeps {
  readonly chains: ChainTable;
  /** Time for which a price is reused; five seconds by default. */
  readonly freshMs?: number;
}

const FRESH_MS = 5000;
const MAX_PRICES = 20_000;
const MAX_BATCH = 100;

interface ReadPrice {
  readonly price: UnitPrice | undefined;
  readonly asOf: Date;
}

/** A token as pools hold it: the native coin stands as its wrapper. */
interface TradedToken {
  readonly chainId: number;
  readonly address: Address;
}

export function createPriceSource(deps: PriceSourceDeps): PriceSource {
  // A loader for each chain: a batch is as slow as its slowest chain. The cache in front of them shares the results.
  const loaders = new Map<number, DataLoader<Address, ReadPrice>>();
  const load = ({ chainId, address }: TradedToken): Promise<ReadPrice> => {
    const loader = loaders.get(chainId) ?? createLoader(deps, chainId);
    loaders.set(chainId, loader);
    return loader.load(address);
  };
  const cache = new LRUCache<string, ReadPrice, TradedToken>({
    ...atMostEntries(MAX_PRICES),
    ttl: deps.freshMs ?? FRESH_MS,
    ignoreFetchAbort: true,
    fetchMethod: (_key, _stale, { context }) => load(context),
  });
  const priceUsd = async (token: Token): Promise<Price | undefined> => {
    if (token.chainId === FIAT_CHAIN_ID) return token.address === 'USD' ? dollar() : firstPrice(REAL_TOKENS);
    if (deps.chains.byId(token.chainId)?.kind === 'bitcoin') return firstPrice(BITCOIN_TOKENS);
    const traded = toTradedToken(deps, token);
    if (traded === undefined) return undefined;
    const key = `${String(traded.chainId)}:${traded.address}`;
    const { price, asOf } = await cache.forceFetch(key, { context: traded });
    if (price === undefined) return undefined;
    const usd = toUsdPrice(shareOf(ONE_DOLLAR * 10n ** BigInt(token.decimals), price.usd));
    return usd === undefined ? undefined : { usd, asOf, source: price.source };
  };
  /** Price of money outside of EVM chains: that of the first token for it that has a price. */
  const firstPrice = async (symbols: readonly string[]): Promise<Price | undefined> => {
    for (const token of tokensBySymbol(deps, symbols)) {
      const price = await priceOrUndefined(token);
      if (price !== undefined) return price;
    }
    return undefined;
  };
  const priceOrUndefined = (token: Token): Promise<Price | undefined> =>
    priceUsd(token).catch((error: unknown) => {
      if (isServiceError(error)) return undefined;
      throw error;
    });
  return { priceUsd: priceOrUndefined, pricesUsd: (tokens) => Promise.all(tokens.map(priceOrUndefined)) };
}

const dollar = (): Price => ({ usd: ONE_DOLLAR, asOf: new Date(), source: 'peg' });

function toTradedToken({ chains, rpc }: PriceSourceDeps, { chainId, address }: Token): TradedToken | undefined {
  const chain = chains.byId(chainId);
  if (chain?.kind !== 'evm' || !rpc.serves(chainId)) return undefined;
  const traded = tradedToken(chain, address as Address);
  return traded === undefined ? undefined : { chainId, address: traded };
}

/** Reads the prices of a chain that are requested at the same time together. */
const createLoader = (deps: PriceSourceDeps, chainId: number): DataLoader<Address, ReadPrice> =>
  new DataLoader(
    async (tokens) => {
      const asOf = new Date();
      const prices = await readChainPrices(deps, { chain: deps.chains.get(chainId), tokens });
      return tokens.map((address) => ({ price: prices.get(address), asOf }));
    },
    { cache: false, maxBatchSize: MAX_BATCH },
  );
