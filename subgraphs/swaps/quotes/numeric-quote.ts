import type { QuoteView } from '../../../src/quotes/quote-view';
import { usdNumber } from '../../../src/quotes/usd-number';
import type { SwapQuote } from './types';

/** A quote with its US dollars as JSON numbers, as the contract shows them. */
export function numericQuote(quote: QuoteView): SwapQuote {
  const { tokenIn, tokenOut, feeBreakdown, gasEstimate } = quote;
  const { platformFeesTotalInUSD, bridgeAndSlippageImpactOutUSD } = feeBreakdown.summary;
  const lines = feeBreakdown.lines.map(withNumber);
  const summary = {
    platformFeesTotalInUSD: usdNumber(platformFeesTotalInUSD),
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
  decimal === undefined ? undefined : usdNumber(decimal);
