import { formatBaseUnits } from '../../money/base-units';

interface Bought {
  readonly unitOut: { readonly symbol: string; readonly decimals: number };
  readonly minAmountOut: bigint;
}

/**
 * How what a delivery brought falls short of what was bought, in words for its customer; `undefined` when it does not.
 *
 * `flaw` is what is known to be wrong with it besides the amount.
 */
export function shortfallOf(
  { unitOut, minAmountOut }: Bought,
  { arrived = 0n, flaw }: { readonly arrived: bigint | undefined; readonly flaw: string | undefined },
): string | undefined {
  const { symbol, decimals } = unitOut;
  const told = (amount: bigint): string => `${formatBaseUnits(amount, decimals)} ${symbol}`;
  if (flaw !== undefined) return `${flaw}; of ${symbol} arrived ${formatBaseUnits(arrived, decimals)}`;
  if (arrived >= minAmountOut) return undefined;
  return `Only ${told(arrived)} arrived, less than the minimum of ${told(minAmountOut)}`;
}
