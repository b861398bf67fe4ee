import type { Address } from 'viem';
import { trustedTokens } from '../chains/trusted-tokens';
import type { Chain } from '../chains/chain';
import { type Fraction, shareOf, times } from './fraction';
import { type PricePoolDeps, type PricePool, type Pair, readPricePools } from './price-pools';

/** US dollars for one base unit of a token, and the source of the price. */
export interface UnitPrice {
  readonly usd: Fraction;
  readonly source: string;
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
  const prices = dollarPrices(chain);
  const steps = pricingSteps(chain, { tokens, priced: new Set(prices.keys()) });
  const pairs = steps.flat();
  if (pairs.length === 0) return prices;
  const pools = await readPricePools(deps, { chain, pairs });
  for (const step of steps) {
    // Tokens priced in one step are anchors of the next step only.
    const found = [...new Set(step.map(({ token }) => token))].map(
      (token) => [token, priceOf(token, pools, prices)] as const,
    );
    for (const [token, price] of found) if (price !== undefined) prices.set(token, price);
  }
  return prices;
}

/** Pegged prices. Dollar tokens that the deployment does not list are skipped: their decimals are unknown. */
function dollarPrices({ dollarTokens, tokens }: Chain): Map<Address, UnitPrice> {
  const prices = new Map<Address, UnitPrice>();
  for (const address of dollarTokens) {
    const listed = tokens.find((token) => token.address === address);
    if (listed === undefined) continue;
    const usd = { numerator: 1n, denominator: 10n ** BigInt(listed.decimals) };
    prices.set(address, { usd, source: 'peg' });
  }
  return prices;
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

function priceOf(
  token: Address,
  pools: readonly PricePool[],
  prices: ReadonlyMap<Address, UnitPrice>,
): UnitPrice | undefined {
  let deepest: { readonly depthUsd: bigint; readonly price: UnitPrice } | undefined;
  for (const pool of pools) {
    const anchor = prices.get(pool.anchor);
    if (pool.token !== token || anchor === undefined) continue;
    const depthUsd = shareOf(pool.depth, anchor.usd);
    if (depthUsd < MIN_DEPTH_USD || (deepest !== undefined && depthUsd <= deepest.depthUsd)) continue;
    deepest = { depthUsd, price: { usd: times(pool.price, anchor.usd), source: pool.source } };
  }
  return deepest?.price;
}
