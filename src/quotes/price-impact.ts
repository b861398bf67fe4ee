import type { ProviderQuote, QuoteRequest } from '../venues/quote-provider';
import type { MarketData } from './market-data';
import { maxBigInt } from '../money/min-max';

/** The loss of a trade against the market price, without the fees of the venue. Negative for a gain. */
export interface PriceImpact {
  /** In base units of `tokenOut`. */
  readonly lost: bigint;
  /** Basis points of the output at the market price. */
  readonly bps: number;
}

interface PricedTrade {
  readonly request: Pick<QuoteRequest, 'origin' | 'destination' | 'tokenIn' | 'tokenOut'>;
  readonly offer: Pick<ProviderQuote, 'amountIn' | 'expectedAmountOut' | 'priceImpactBps' | 'fees'>;
  readonly market: Pick<MarketData, 'tokenIn' | 'tokenOut'>;
}

const BPS = 10_000n;
/** Upper bound, below 100 %: `quotedImpact` divides by the remaining share. */
const MAX_IMPACT_BPS = 9999;
/** Precision of a price ratio; for display. */
const SCALE = 10n ** 18n;

/**
 * The impact quoted by the venue. Between chains, and from a venue that quotes none, the impact against market prices, where
 * both prices are available: a bridge quotes its fees, not the value of the two tokens.
 */
export function tradeImpact(trade: PricedTrade): PriceImpact {
  const { request, offer } = trade;
  const isQuoted = request.origin.chainId === request.destination.chainId && offer.priceImpactBps !== undefined;
  const measured = isQuoted ? undefined : marketImpact(trade);
  return measured ?? quotedImpact(trade);
}

function quotedImpact({ offer }: PricedTrade): PriceImpact {
  const bps = Math.round(offer.priceImpactBps ?? 0);
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
  const bps = (lost * BPS) / fair;
  return Number.parseInt(maxBigInt(bps, MIN_IMPACT_BPS).toString(), 10);
}

interface Rate {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Base units of `tokenOut` per base unit of `tokenIn` at market prices. */
function rateOf({ request: { tokenIn, tokenOut }, market }: PricedTrade): Rate | undefined {
  if (market.tokenIn === undefined || market.tokenOut === undefined) return undefined;
  const scaled = Math.round((market.tokenIn.usd / market.tokenOut.usd) * 1e18);
  if (!Number.isFinite(scaled)) return undefined;
  return {
    numerator: BigInt(scaled) * 10n ** BigInt(tokenOut.decimals),
    denominator: SCALE * 10n ** BigInt(tokenIn.decimals),
  };
}

const convert = (amount: bigint, { numerator, denominator }: Rate): bigint => (amount * numerator) / denominator;
