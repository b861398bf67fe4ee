import { formatBaseUnits } from '../../money/base-units';

/** The token that a quote promises, and the minimum in its base units. */
export interface QuotedOutput {
  readonly unitOut: { readonly symbol: string; readonly decimals: number };
  readonly minAmountOut: bigint;
}

/**
 * Reason, shown to the customer, why a delivery falls short of the quote; `undefined` when it does not. `flaw` is what is
 * wrong with the delivery besides the amount.
 */
export function shortfallOf(
  { unitOut, minAmountOut }: QuotedOutput,
  { arrived = 0n, flaw }: { readonly arrived: bigint | undefined; readonly flaw: string | undefined },
): string | undefined {
  const { symbol, decimals } = unitOut;
  const text = (amount: bigint): string => `${formatBaseUnits(amount, decimals)} ${symbol}`;
  if (flaw !== undefined) return `${flaw}; ${text(arrived)} arrived`;
  if (arrived >= minAmountOut) return undefined;
  return `Only ${text(arrived)} arrived, less than the minimum of ${text(minAmountOut)}`;
}
