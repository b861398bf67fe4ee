import type { Address } from 'viem';
import { trustedTokens } from '../chains/trusted-tokens';
import type { Chain } from '../chains/chain';
import { ONE_DOLLAR } from '../money/usd';
import type { DollarAnchor } from './combine-observations';
import { type Fraction, shareOf, times } from './fraction';
import { type Pair, type PricePool, type PricePoolDeps, type PricePools, readPricePools } from './price-pools';
import type { PriceFlag } from './token-price';

/** US dollars for one base unit of a token, and the source of the price. */
export interface UnitPrice {
  readonly usd: Fraction;
  readonly source: string;
  /** Uncertainties of the dollar token that the price was derived from. */
  readonly flags?: readonly PriceFlag[];
  /** Share of the liquidity that has this price, in basis points. Set by the rule of choice, where it computes it. */
  readonly confidenceBps?: number;
}

/** The price of a token in one pool, and the dollars in it that trade at about this price. */
export interface PoolPrice extends UnitPrice {
  readonly depthUsd: bigint;
}

/** Pools with less value on their anchor's side are ignored: their price is too cheap to manipulate. */
const MIN_DEPTH_USD = 1000n;

/**
 * Prices ERC-20s from the deepest pool of each token against an anchor, a token that is already priced. Dollar tokens are
 * worth a dollar; the wrapped native coin is priced in them, the connectors in both, all other tokens in all of these.
 * Tokens without a deep enough pool are missing from the result.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function readChainPrices(
  deps: PricePoolDeps,
  { chain, tokens }: { readonly chain: Chain; readonly tokens: readonly Address[] },
): Promise<ReadonlyMap<Address, UnitPrice>> {
  const { prices } = await derivePrices(deps, { chain, tokens, choose: deepestPool });
  return prices;
}

export interface DerivationRules {
  readonly chain: Chain;
  readonly tokens: readonly Address[];
  /** Chooses the price of a token from those of its pools; `undefined` when it trusts none of them. */
  readonly choose: (token: Address, pools: readonly PoolPrice[]) => UnitPrice | undefined;
  /** Worth of the dollar tokens; one dollar each when absent. Awaited while the pools are read. */
  readonly anchors?: Promise<ReadonlyMap<Address, DollarAnchor>>;
  readonly signal?: AbortSignal;
}

export interface DerivedPrices {
  readonly prices: ReadonlyMap<Address, UnitPrice>;
  /** Unix seconds of the block that the pools were read at; `undefined` without pools. */
  readonly readAt: number | undefined;
}

/**
 * Derives prices from pools in steps, beginning with the dollar tokens. Tokens that `choose` returns no price for are missing.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function derivePrices(
  deps: PricePoolDeps,
  { chain, tokens, choose, anchors, signal }: DerivationRules,
): Promise<DerivedPrices> {
  const dollars = listedDollarTokens(chain);
  const steps = pricingSteps(chain, { tokens, priced: new Set(dollars.map(({ address }) => address)) });
  const pairs = steps.flat();
  const reading = pairs.length === 0 ? NO_POOLS : readPricePools(deps, { chain, pairs, ...(signal && { signal }) });
  const [{ pools, readAt }, worth] = await Promise.all([reading, anchors]);
  const prices = new Map(dollars.map((dollar) => [dollar.address, dollarPrice(dollar, worth?.get(dollar.address))]));
  for (const step of steps) {
    // Tokens priced in one step are anchors of the next step only.
    const found = [...new Set(step.map(({ token }) => token))].map(
      (token) => [token, choose(token, poolPrices(token, pools, prices))] as const,
    );
    for (const [token, price] of found) if (price !== undefined) prices.set(token, price);
  }
  return { prices, readAt };
}

const NO_POOLS: PricePools = { pools: [], readAt: undefined };

interface DollarToken {
  readonly address: Address;
  readonly decimals: number;
}

/** Dollar tokens that the deployment does not list are skipped: their decimals are unknown. */
const listedDollarTokens = ({ dollarTokens, tokens }: Chain): readonly DollarToken[] =>
  dollarTokens.flatMap((address) => {
    const listed = tokens.find((token) => token.address === address);
    return listed === undefined ? [] : [{ address, decimals: listed.decimals }];
  });

function dollarPrice({ decimals }: DollarToken, anchor: DollarAnchor | undefined): UnitPrice {
  const usd = { numerator: 1n, denominator: 10n ** BigInt(decimals) };
  if (anchor === undefined) return { usd, source: 'peg' };
  const worth = { numerator: anchor.usdE24, denominator: ONE_DOLLAR };
  return { usd: times(usd, worth), source: 'peg', flags: anchor.flag === undefined ? [] : [anchor.flag] };
}

interface Unpriced {
  readonly tokens: readonly Address[];
  readonly priced: ReadonlySet<Address>;
}

/** Pairs that price the native coin, then the connectors, then the requested tokens. */
function pricingSteps(chain: Chain, { tokens, priced }: Unpriced): readonly (readonly Pair[])[] {
  const against = (token: Address, anchors: readonly Address[]): readonly Pair[] =>
    anchors.filter((anchor) => anchor !== token).map((anchor) => ({ token, anchor }));
  const dollars = [...priced];
  const coin = chain.wrappedNative === undefined || priced.has(chain.wrappedNative) ? [] : [chain.wrappedNative];
  const earlier = new Set([...dollars, ...coin]);
  const connectors = chain.connectors.filter((connector) => !earlier.has(connector));
  const anchors = [...trustedTokens(chain)] as Address[];
  const others = tokens.filter((token) => !anchors.includes(token));
  return [
    coin.flatMap((token) => against(token, dollars)),
    connectors.flatMap((token) => against(token, [...dollars, ...coin])),
    others.flatMap((token) => against(token, anchors)),
  ];
}

function poolPrices(
  token: Address,
  pools: readonly PricePool[],
  prices: ReadonlyMap<Address, UnitPrice>,
): readonly PoolPrice[] {
  return pools.flatMap((pool) => {
    const anchor = prices.get(pool.anchor);
    if (pool.token !== token || anchor === undefined) return [];
    const depthUsd = shareOf(pool.depth, anchor.usd);
    return [{ usd: times(pool.price, anchor.usd), source: pool.source, depthUsd, flags: anchor.flags ?? [] }];
  });
}

function deepestPool(_: Address, pools: readonly PoolPrice[]): UnitPrice | undefined {
  let deepest: PoolPrice | undefined;
  for (const pool of pools) {
    if (pool.depthUsd < MIN_DEPTH_USD || (deepest !== undefined && pool.depthUsd <= deepest.depthUsd)) continue;
    deepest = pool;
  }
  return deepest && { usd: deepest.usd, source: deepest.source };
}
