import type { Address } from 'viem';
import { anchorTokens } from '../chains/anchor-tokens';
import type { Chain } from '../chains/chain';
import { type Fraction, shareOf, times } from './fraction';
import { type MarketDeps, type MarketPool, type Pair, readMarketPools } from './market-pools';

/** US dollars for one base unit of a token, and where that comes from. */
export interface UnitPrice {
  readonly usd: Fraction;
  readonly source: string;
}

/** A pool with less than this on its anchor's side sets no price: it costs too little to move. */
const MIN_DEPTH_USD = 1000n;

/**
 * Prices of ERC-20s from the pools of their chain: of all pools against tokens of known worth, the deepest counts.
 * Dollar tokens are worth a dollar; the wrapped native coin is priced in them, the connectors in both, everything
 * else in all of these. Tokens without a deep enough pool are missing from the answer.
 *
 * @throws PROVIDER_UNAVAILABLE when the chain could not be asked.
 */
export async function readChainPrices(
  deps: MarketDeps,
  { chain, tokens }: { readonly chain: Chain; readonly tokens: readonly Address[] },
): Promise<ReadonlyMap<Address, UnitPrice>> {
  const prices = dollarPrices(chain);
  const steps = pricingSteps(chain, { tokens, priced: new Set(prices.keys()) });
  const pairs = steps.flat();
  if (pairs.length === 0) return prices;
  const pools = await readMarketPools(deps, { chain, pairs });
  for (const step of steps) {
    // What is priced in one step is an anchor of the next, not of its own.
    const found = [...new Set(step.map(({ token }) => token))].map(
      (token) => [token, priceOf(token, pools, prices)] as const,
    );
    for (const [token, price] of found) if (price !== undefined) prices.set(token, price);
  }
  return prices;
}

/** The peg. A dollar token whose decimals the deployment does not list cannot be used. */
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

/** Which pairs give the price of the native coin, then of the connectors, then of the tokens that were asked for. */
function pricingSteps(chain: Chain, { tokens, priced }: Unpriced): readonly (readonly Pair[])[] {
  const against = (token: Address, anchors: readonly Address[]): readonly Pair[] =>
    anchors.filter((anchor) => anchor !== token).map((anchor) => ({ token, anchor }));
  const dollars = [...priced];
  const coin = chain.wrappedNative === undefined || priced.has(chain.wrappedNative) ? [] : [chain.wrappedNative];
  const known = new Set([...dollars, ...coin]);
  const connectors = chain.connectors.filter((connector) => !known.has(connector));
  const anchors = [...anchorTokens(chain)] as Address[];
  const others = tokens.filter((token) => !anchors.includes(token));
  return [
    coin.flatMap((token) => against(token, dollars)),
    connectors.flatMap((token) => against(token, [...dollars, ...coin])),
    others.flatMap((token) => against(token, anchors)),
  ];
}

function priceOf(
  token: Address,
  pools: readonly MarketPool[],
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
