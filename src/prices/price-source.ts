import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import type { Address } from 'viem';
import { FIAT_CHAIN_ID } from '../chains/chain';
import { tradedToken } from '../chains/addresses';
import type { ChainTable } from '../chains/chain-table';
import { InvariantError } from '../errors/invariant-error';
import { isServiceError } from '../errors/service-error';
import type { Token } from '../tokens/token';
import { readChainPrices, type UnitPrice } from './chain-prices';
import { times, toNumber } from './fraction';
import type { MarketDeps } from './market-pools';

/** What one whole token costs. For display, and for nothing that moves money. */
interface Price {
  readonly usd: number;
  /** When it was read. */
  readonly asOf: Date;
  /** `peg`, or the pool as in `uniswap-v3:0x…`. */
  readonly source: string;
}

/** Prices no older than a few seconds. */
export interface PriceSource {
  /** `undefined` when no fresh price is known: no deep enough pool, or the chain could not be asked. */
  priceUsd(token: Token): Promise<Price | undefined>;
  /** In the order of the tokens; the ones of a chain are read together. */
  pricesUsd(tokens: readonly Token[]): Promise<readonly (Price | undefined)[]>;
}

export interface PriceSourceDeps extends MarketDeps {
  readonly chains: ChainTable;
}

const FRESH_MS = 5000;
const MAX_PRICES = 20_000;
const MAX_BATCH = 100;

interface ReadPrice {
  readonly price: UnitPrice | undefined;
  readonly asOf: Date;
}

/** A token as pools know it. */
interface TradedToken {
  readonly chainId: number;
  readonly address: Address;
}

export function createPriceSource(deps: PriceSourceDeps): PriceSource {
  // Gathers what is asked in one moment; the cache before it shares and remembers the answers.
  const loader = new DataLoader<TradedToken, ReadPrice>((tokens) => readTogether(deps, tokens), {
    cache: false,
    maxBatchSize: MAX_BATCH,
  });
  const cache = new LRUCache<string, ReadPrice, TradedToken>({
    max: MAX_PRICES,
    ttl: FRESH_MS,
    ignoreFetchAbort: true,
    fetchMethod: (_key, _stale, { context }) => loader.load(context),
  });
  const priceUsd = async (token: Token): Promise<Price | undefined> => {
    if (token.chainId === FIAT_CHAIN_ID) return token.address === 'USD' ? dollar() : realPrice();
    const traded = tradedOn(deps, token);
    if (traded === undefined) return undefined;
    const key = `${String(traded.chainId)}:${traded.address}`;
    const { price, asOf } = await cache.forceFetch(key, { context: traded });
    if (price === undefined) return undefined;
    const whole = { numerator: 10n ** BigInt(token.decimals), denominator: 1n };
    return { usd: toNumber(times(price.usd, whole)), asOf, source: price.source };
  };
  /** A real costs what the first token does that stands for one and has a price. */
  const realPrice = async (): Promise<Price | undefined> => {
    for (const token of realTokens(deps)) {
      const price = await ifKnown(token);
      if (price !== undefined) return price;
    }
    return undefined;
  };
  const ifKnown = (token: Token): Promise<Price | undefined> =>
    priceUsd(token).catch((error: unknown) => {
      if (isServiceError(error)) return undefined;
      throw error;
    });
  return { priceUsd: ifKnown, pricesUsd: (tokens) => Promise.all(tokens.map(ifKnown)) };
}

const dollar = (): Price => ({ usd: 1, asOf: new Date(), source: 'peg' });

/** Symbols of the tokens that stand for a real each, the most liquid first. */
const REAL_TOKENS: readonly string[] = ['BRLA', 'BRZ'];

/** The tokens of the served chains that stand for a real. */
const realTokens = ({ chains, rpc }: PriceSourceDeps): readonly Token[] =>
  REAL_TOKENS.flatMap((symbol) =>
    chains.all
      .filter(({ kind, chainId }) => kind === 'evm' && rpc.serves(chainId))
      .flatMap(({ chainId, tokens }) =>
        tokens.filter((token) => token.symbol === symbol).map((token) => ({ logoURI: undefined, ...token, chainId })),
      ),
  );

function tradedOn({ chains, rpc }: PriceSourceDeps, { chainId, address }: Token): TradedToken | undefined {
  const chain = chains.byId(chainId);
  if (chain?.kind !== 'evm' || !rpc.serves(chainId)) return undefined;
  const traded = tradedToken(chain, address as Address);
  return traded === undefined ? undefined : { chainId, address: traded };
}

/** One round per chain; a chain that fails fails for its own tokens only. */
async function readTogether(
  deps: PriceSourceDeps,
  tokens: readonly TradedToken[],
): Promise<readonly (ReadPrice | Error)[]> {
  const asOf = new Date();
  const chainIds = [...new Set(tokens.map(({ chainId }) => chainId))];
  const rounds = new Map(
    chainIds.map((chainId) => {
      const ofChain = tokens.filter((token) => token.chainId === chainId).map(({ address }) => address);
      return [chainId, readChainPrices(deps, { chain: deps.chains.get(chainId), tokens: ofChain })];
    }),
  );
  return Promise.all(
    tokens.map(async ({ chainId, address }) => {
      try {
        const prices = await rounds.get(chainId);
        return { price: prices?.get(address), asOf };
      } catch (error) {
        return error instanceof Error ? error : new InvariantError(String(error));
      }
    }),
  );
}
