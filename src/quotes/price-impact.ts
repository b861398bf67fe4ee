import type { ProviderQuote, QuoteRequest } from '../venues/quote-provider';
import type { MarketData } from './market-data';
import { divideUp } from '../money/divide-up';
import { maxBigInt } from '../money/min-max';

/** The loss of a trade against the market price, without the fees of the venue. Negative for a gain. */
export interface PriceImpact {
  /** In base units of `tokenOut`. */
  readonly lost: bigint;
  /** Basis points of the output at the market price. A loss is rounded up: it exceeds every bound below it. */
  readonly bps: number;
}

interface PricedTrade {
  readonly request: Pick<QuoteRequest, 'tokenIn' | 'tokenOut'>;
  readonly offer: Pick<ProviderQuote, 'amountIn' | 'expectedAmountOut' | 'priceImpactBps' | 'fees'>;
  readonly market: Pick<MarketData, 'tokenIn' | 'tokenOut'>;
}

const BPS = 10_000n;
/** Upper bound, below 100 %: `quotedImpact` divides by the remaining share. */
const MAX_IMPACT_BPS = 9999;

/**
 * The impact against market prices, whatever the venue quotes: a pool with a wrong price quotes no impact, and a bridge
 * quotes its fees alone. Where a price is missing, the impact that the venue quotes; `undefined` when it quotes none.
 */
export const tradeImpact = (trade: PricedTrade): PriceImpact | undefined => marketImpact(trade) ?? quotedImpact(trade);

function quotedImpact({ offer }: PricedTrade): PriceImpact | undefined {
  if (offer.priceImpactBps === undefined) return undefined;
  const bps = Math.round(offer.priceImpactBps);
  // `expectedAmountOut` is the output at the spot price minus the impact.
  const impactBps = BigInt(Math.min(bps, MAX_IMPACT_BPS));
  const lost = (offer.expectedAmountOut * impactBps) / (BPS - impactBps);
  return { lost, bps };
}

function marketImpact(trade: PricedTrade): PriceImpact | undefined {
  const { offer } = trade;
  const rate = rateOf(trade);
  if (rate === undefined) return undefined;
  const fair = convert(offer.amountIn, rate);
  if (fair === 0n) return undefined;
  const fees = (offer.fees ?? []).map(({ asset, amount }) => (asset === 'tokenIn' ? convert(amount, rate) : amount));
  const lost = fair - offer.expectedAmountOut - fees.reduce((sum, fee) => sum + fee, 0n);
  return { lost, bps: toBps(lost, fair) };
}

/** Keeps a price that is wrong by orders of magnitude within the 32 bits of the field. */
const MIN_IMPACT_BPS = -1_000_000_000n;

function toBps(lost: bigint, fair: bigint): number {
  // The division of bigints rounds a gain towards zero.
  const bps = lost > 0n ? divideUp(lost * BPS, fair) : (lost * BPS) / fair;
  return Number.parseInt(maxBigInt(bps, MIN_IMPACT_BPS).toString(), 10);
}

interface Rate {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Base units of `tokenOut` per base unit of `tokenIn` at market prices. */
function rateOf({ request: { tokenIn, tokenOut }, market }: PricedTrade): Rate | undefined {
  if (market.tokenIn === undefined || market.tokenOut === undefined) return undefined;
  return {
    numerator: market.tokenIn.usd * 10n ** BigInt(tokenOut.decimals),
    denominator: market.tokenOut.usd * 10n ** BigInt(tokenIn.decimals),
  };
}

/** Rounded down: neither the output at market prices nor a fee is overstated. */
const convert = (amount: bigint, { numerator, denominator }: Rate): bigint => (amount * numerator) / denominator;
