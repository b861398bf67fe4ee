import type { QuoteView } from '../../../src/quotes/quote-view';
import type { SwapQuote } from './types';

/**
 * A quote with its US dollars as JSON numbers, as the contract shows them. The only place where an exact decimal becomes
 * a floating-point number; nothing is calculated with it.
 */
export function numericQuote(quote: QuoteView): SwapQuote {
  const { tokenIn, tokenOut, feeBreakdown, gasEstimate } = quote;
  const { platformFeesTotalInUSD, bridgeAndSlippageImpactOutUSD } = feeBreakdown.summary;
  const lines = feeBreakdown.lines.map(withNumber);
  const summary = {
    platformFeesTotalInUSD: numberOf(platformFeesTotalInUSD),
    bridgeAndSlippageImpactOutUSD: numberOrUndefined(bridgeAndSlippageImpactOutUSD),
  };
  return {
    ...quote,
    tokenIn: { ...withNumber(tokenIn), priceInUSD: numberOrUndefined(tokenIn.priceInUSD) },
    tokenOut: { ...withNumber(tokenOut), priceInUSD: numberOrUndefined(tokenOut.priceInUSD) },
    feeBreakdown: { lines, charges: lines, summary },
    gasEstimate: withNumber(gasEstimate),
  };
}

const withNumber = <Part extends { readonly amountInUSD: string | undefined }>({ amountInUSD, ...part }: Part) => ({
  ...part,
  amountInUSD: numberOrUndefined(amountInUSD),
});

const numberOrUndefined = (decimal: string | undefined): number | undefined =>
  decimal === undefined ? undefined : numberOf(decimal);

/** The number nearest to a decimal; up to 15 digits JSON shows exactly this decimal. */
const numberOf = (decimal: string): number => Number.parseFloat(decimal);
