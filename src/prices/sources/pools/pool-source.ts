import type { Address } from 'viem';
import { resolveWithin } from '../../../async/resolve-within';
import { FIAT_CHAIN_ID, type Chain } from '../../../chains/chain';
import type { ChainTable } from '../../../chains/chain-table';
import { ONE_DOLLAR } from '../../../money/usd';
import { derivePrices, type UnitPrice } from '../../chain-prices';
import { checkedObservation } from '../../checked-observation';
import type { DollarAnchor } from '../../combine-observations';
import { shareOf } from '../../fraction';
import type { PricePoolDeps } from '../../price-pools';
import { tokensBySymbol, BITCOIN_TOKENS, REAL_TOKENS } from '../../tokens-by-symbol';
import type { PricedToken, PriceObservation, TokenPriceSource } from '../../token-price';
import { liquidityMedian } from './liquidity-median';

export interface PoolSourceDeps extends PricePoolDeps {
  readonly chains: ChainTable;
  /** Worth of a chain's dollar tokens by other sources. Never rejects. */
  readonly anchors: (chain: Chain) => Promise<ReadonlyMap<Address, DollarAnchor>>;
  /** Maximum wait for one of several chains. Shorter than the time that callers wait for a source. */
  readonly chainWaitMs: number;
}

const POOLS = 'pools';
const MIN_DEPTH_USD = 10_000;
/** The latest block of a chain that has stopped is no present price. */
const MAX_AGE_SECONDS = 600;

/**
 * Present prices in the pools of a chain: the median by liquidity. Bank reais have the price of a BRL token, and bitcoin that
 * of a token for it.
 */
export function createPoolSource(deps: PoolSourceDeps): TokenPriceSource {
  return {
    id: POOLS,
    cacheMs: 5000,
    maxBatch: 100,
    covers: ({ chain, address }) =>
      chain.kind === 'evm' ? deps.rpc.serves(chain.chainId) : tokensFor(chain, address) !== undefined,
    observe: async (tokens, signal) => {
      const chain = tokens[0]?.chain;
      if (chain === undefined) return new Map();
      const request = { chain, tokens, signal };
      return chain.kind === 'evm' ? readEvm(deps, request) : readFor(deps, request);
    },
  };
}

interface PoolRequest {
  readonly chain: Chain;
  readonly tokens: readonly PricedToken[];
  readonly signal: AbortSignal;
}

async function readEvm(
  deps: PoolSourceDeps,
  { chain, tokens, signal }: PoolRequest,
): Promise<ReadonlyMap<string, PriceObservation>> {
  const minDepth = BigInt(chain.prices?.minPoolDepthUsd ?? MIN_DEPTH_USD);
  const { prices, readAt } = await derivePrices(deps, {
    chain,
    tokens: tokens.map(({ address }) => address as Address),
    choose: (_, pools) => liquidityMedian(pools, minDepth),
    anchors: deps.anchors(chain),
    signal,
  });
  const observed = new Map<string, PriceObservation>();
  for (const { address, decimals } of tokens) {
    const price = prices.get(address as Address);
    const observation = price && observationOf(price, { decimals, readAt });
    if (observation !== undefined) observed.set(address, observation);
  }
  return observed;
}

function observationOf(
  { usd, source, flags = [], confidenceBps }: UnitPrice,
  { decimals, readAt }: { readonly decimals: number; readonly readAt: number | undefined },
): PriceObservation | undefined {
  const isPeg = source === 'peg';
  const observedAt = isPeg ? Date.now() / 1000 : readAt;
  // Pools of an unknown time may be those of a chain that has stopped.
  if (observedAt === undefined) return undefined;
  return checkedObservation({
    usdE24: isPeg ? ONE_DOLLAR : shareOf(ONE_DOLLAR * 10n ** BigInt(decimals), usd),
    observedAt,
    maxAgeSeconds: MAX_AGE_SECONDS,
    source,
    kind: isPeg ? 'peg' : 'spot',
    confidenceBps: confidenceBps ?? 10_000,
    flags: isPeg ? [] : flags,
  });
}

/** Symbols of the tokens that have the price of money outside of EVM chains. */
function tokensFor(chain: Chain, address: string): readonly string[] | undefined {
  if (chain.chainId === FIAT_CHAIN_ID) return address === 'BRL' ? REAL_TOKENS : undefined;
  return chain.kind === 'bitcoin' ? BITCOIN_TOKENS : undefined;
}

/** The price of the first token for each that has one. */
async function readFor(
  deps: PoolSourceDeps,
  { chain, tokens, signal }: PoolRequest,
): Promise<ReadonlyMap<string, PriceObservation>> {
  const observed = new Map<string, PriceObservation>();
  for (const { address } of tokens) {
    const reading = tokensBySymbol(deps, tokensFor(chain, address) ?? []).map(async (token) => {
      const priced = { chain: deps.chains.get(token.chainId), address: token.address, decimals: token.decimals };
      const onChain = readEvm(deps, { chain: priced.chain, tokens: [priced], signal });
      return (await resolveWithin(onChain, deps.chainWaitMs))?.get(token.address);
    });
    // One chain that does not respond must not hide the price on another one.
    const settled = await Promise.allSettled(reading);
    const [first] = settled.flatMap((result) => (result.status === 'fulfilled' ? (result.value ?? []) : []));
    if (first !== undefined) observed.set(address, first);
  }
  return observed;
}
