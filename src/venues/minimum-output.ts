import { type BaseUnits, toBaseUnits } from '../money/base-units';
import { maxBigInt } from '../money/min-max';
import { addShare, subtractShare } from '../money/slippage';
import type { ProviderQuote, QuoteRequest } from './quote-provider';

type AmountsWithSlippage = Pick<ProviderQuote, 'amountIn' | 'maxAmountIn' | 'expectedAmountOut' | 'minAmountOut'>;

/** The amounts of a quote, with the slippage of the request applied to the side that is not exact. */
export function amountsWithSlippage(
  { side, slippage }: Pick<QuoteRequest, 'side' | 'slippage'>,
  priced: { readonly amountIn: bigint; readonly amountOut: bigint },
): AmountsWithSlippage {
  const amountIn = toBaseUnits(priced.amountIn);
  const expectedAmountOut = toBaseUnits(priced.amountOut);
  if (side === 'out') {
    return { amountIn, maxAmountIn: addShare(amountIn, slippage), expectedAmountOut, minAmountOut: expectedAmountOut };
  }
  return {
    amountIn,
    maxAmountIn: amountIn,
    expectedAmountOut,
    minAmountOut: minimumOutput(expectedAmountOut, slippage),
  };
}

/** The expected output less the slippage, at least one base unit: a minimum of zero would protect nothing. */
export const minimumOutput = (expected: BaseUnits, slippage: QuoteRequest['slippage']): BaseUnits =>
  maxBigInt(subtractShare(expected, slippage), toBaseUnits(1n));
