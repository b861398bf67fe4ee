import type { ProviderQuote, QuoteRequest } from '../venues/quote-provider';
import type { Market } from './read-market';

/** How much worse a trade is than the market, the fees of its venue not counted. Negative when it is better. */
export interface Impact {
  /** In base units of `tokenOut`. */
  readonly lost: bigint;
  /** Basis points of what the market would give. */
  readonly bps: number;
}

interface PricedTrade {
  readonly request: Pick<QuoteRequest, 'origin' | 'destination' | 'tokenIn' | 'tokenOut'>;
  readonly offer: Pick<ProviderQuote, 'amountIn' | 'expectedAmountOut' | 'priceImpactBps' | 'fees'>;
  readonly market: Pick<Market, 'tokenIn' | 'tokenOut'>;
}

const BPS = 10_000n;
/** Most that is left of an amount at the spot price: nothing less can be told from nothing. */
const MOST_BPS = 9999;
/** Digits of a price ratio that count; for display. */
const SCALE = 10n ** 18n;

/**
 * The impact that the venue tells; between chains what market prices tell, where both are known: a bridge knows its
 * fees, and not what the two tokens are worth.
 */
export function tradeImpact(trade: PricedTrade): Impact {
  const isCrossChain = trade.request.origin.chainId !== trade.request.destination.chainId;
  const measured = isCrossChain ? marketImpact(trade) : undefined;
  return measured ?? quotedImpact(trade);
}

function quotedImpact({ offer }: PricedTrade): Impact {
  // All that arrives is what is left of the amount at the spot price.
  const impactBps = BigInt(Math.min(Math.round(offer.priceImpactBps), MOST_BPS));
  const lost = (offer.expectedAmountOut * impactBps) / (BPS - impactBps);
  return { lost, bps: Math.round(offer.priceImpactBps) };
}

function marketImpact(trade: PricedTrade): Impact | undefined {
  const { offer } = trade;
  const rate = rateOf(trade);
  if (rate === undefined) return undefined;
  const fair = worth(offer.amountIn, rate);
  if (fair === 0n) return undefined;
  const fees = (offer.fees ?? []).map(({ asset, amount }) => (asset === 'tokenIn' ? worth(amount, rate) : amount));
  const lost = fair - offer.expectedAmountOut - fees.reduce((sum, fee) => sum + fee, 0n);
  return { lost, bps: toBps(lost, fair) };
}

/** A price that is off by orders of magnitude must not outgrow the 32 bits of the field. */
const LEAST_BPS = -1_000_000_000n;

function toBps(lost: bigint, fair: bigint): number {
  const bps = (lost * BPS) / fair;
  return Number.parseInt((bps < LEAST_BPS ? LEAST_BPS : bps).toString(), 10);
}

interface Rate {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Base units of `tokenOut` for one of `tokenIn` at market prices. */
function rateOf({ request: { tokenIn, tokenOut }, market }: PricedTrade): Rate | undefined {
  if (market.tokenIn === undefined || market.tokenOut === undefined) return undefined;
  const scaled = Math.round((market.tokenIn.usd / market.tokenOut.usd) * 1e18);
  if (!Number.isFinite(scaled)) return undefined;
  return {
    numerator: BigInt(scaled) * 10n ** BigInt(tokenOut.decimals),
    denominator: SCALE * 10n ** BigInt(tokenIn.decimals),
  };
}

const worth = (amount: bigint, { numerator, denominator }: Rate): bigint => (amount * numerator) / denominator;
