import type { Address } from 'viem';
import type { Logger } from 'pino';
import { isNativeToken, parseAddress } from '../chains/addresses';
import { type Chain, FIAT_CHAIN_ID } from '../chains/chain';
import type { ChainTable } from '../chains/chain-table';
import { ONE_DOLLAR } from '../money/usd';
import type { Token } from '../tokens/token';
import { cachedSource } from './cached-source';
import { combineObservations, type DollarAnchor, dollarAnchor } from './combine-observations';
import type { PricePoolDeps } from './price-pools';
import { createPoolSource } from './sources/pools/pool-source';
import type { PricedToken, PriceObservation, PriceResult, TokenPriceReader, TokenPriceSource } from './token-price';

export interface TokenPriceReaderDeps extends PricePoolDeps {
  readonly chains: ChainTable;
  /** The configured sources, in addition to the pools. */
  readonly sources: readonly TokenPriceSource[];
  readonly log: Pick<Logger, 'warn'>;
  /** Maximum time that a caller waits for a source; two seconds by default. */
  readonly waitMs?: number;
}

const WAIT_MS = 2000;

/** Reads all sources at once and combines what they observed. */
export function createTokenPriceReader(deps: TokenPriceReaderDeps): TokenPriceReader {
  const { chains, log, waitMs: sourceWaitMs = WAIT_MS } = deps;
  // Shorter than the wait for a source: one that hangs must not delay the pools, whose prices wait for their anchors.
  const anchorWaitMs = sourceWaitMs / 2;
  // A chain whose node hangs must not hide the price on others.
  const chainWaitMs = sourceWaitMs * 0.75;
  const others = deps.sources.map((source) => cachedSource(source, { log }));
  const observeElsewhere = async (token: PricedToken, waitMs: number): Promise<readonly PriceObservation[]> => {
    const loaded = await Promise.all(others.map((source) => source.load(token, waitMs)));
    return loaded.filter((observation) => observation !== undefined);
  };
  const anchors = async (chain: Chain): Promise<ReadonlyMap<Address, DollarAnchor>> => {
    const dollars = chain.dollarTokens.flatMap((address) => listedToken(chain, address) ?? []);
    const entries = dollars.map(
      async (token) => [token.address as Address, dollarAnchor(await observeElsewhere(token, anchorWaitMs))] as const,
    );
    return new Map(await Promise.all(entries));
  };
  const pools = cachedSource(createPoolSource({ ...deps, anchors, chainWaitMs }), { log });
  const readOne = async (token: Token): Promise<PriceResult> => {
    if (token.chainId === FIAT_CHAIN_ID && token.address === 'USD') return dollar();
    const priced = pricedToken(chains, token);
    if (priced === undefined) return { missing: 'NO_SOURCE' };
    const [inPools, elsewhere] = await Promise.all([
      pools.load(priced, sourceWaitMs),
      observeElsewhere(priced, sourceWaitMs),
    ]);
    const observations = inPools === undefined ? elsewhere : [inPools, ...elsewhere];
    const isDollarToken = priced.chain.dollarTokens.some((address) => address === priced.address);
    return combineObservations(observations, { isDollarToken });
  };
  return {
    async read(tokens) {
      const reading = new Map<string, Promise<PriceResult>>();
      const results = tokens.map((token) => {
        const key = `${String(token.chainId)}:${token.address}:${String(token.decimals)}`;
        const result = reading.get(key) ?? readOne(token);
        reading.set(key, result);
        return result;
      });
      return Promise.all(results);
    },
  };
}

/** The dollar itself. */
const dollar = (): PriceResult => ({
  price: {
    usdE24: ONE_DOLLAR,
    source: 'peg',
    asOf: new Date(),
    confidenceBps: 10_000,
    kind: 'peg',
    flags: [],
    isConfirmed: true,
  },
});

/**
 * The token as sources know it. `undefined` for a token of an unknown chain, and for one whose address is none: it must not
 * reach a source, where it would fail the tokens that are read with it.
 */
export function pricedToken(chains: Pick<ChainTable, 'byId'>, token: Token): PricedToken | undefined {
  const chain = chains.byId(token.chainId);
  if (chain === undefined) return undefined;
  const { decimals } = token;
  if (chain.kind === 'fiat' || chain.kind === 'bitcoin') return { chain, address: token.address, decimals };
  const address = parseAddress(chain.kind, token.address);
  if (address === undefined) return undefined;
  const traded = chain.kind === 'evm' && isNativeToken(address) ? chain.wrappedNative : address;
  return traded === undefined ? undefined : { chain, address: traded, decimals };
}

function listedToken(chain: Chain, address: Address): PricedToken | undefined {
  const listed = chain.tokens.find((token) => token.address === address);
  return listed === undefined ? undefined : { chain, address, decimals: listed.decimals };
}
