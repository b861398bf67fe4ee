import type { PoolDepth } from './pool-state';

const MILLION = 1_000_000n;
const WHOLE_BPS = 10_000n;

/**
 * Shortfall of a trade against the current prices of its pools, in basis points, pool fees excluded.
 *
 * - `amountIn`, `amountOut`: base units of the first and the last token.
 * - `depths`: the pools of its route, in order.
 */
export function priceImpactBps(
  { amountIn, amountOut }: { readonly amountIn: bigint; readonly amountOut: bigint },
  depths: readonly PoolDepth[],
): number {
  // One fraction for the whole path avoids intermediate rounding.
  let numerator = amountIn;
  let denominator = 1n;
  for (const { reserveIn, reserveOut, fee } of depths) {
    numerator *= reserveOut * (MILLION - fee);
    denominator *= reserveIn * MILLION;
  }
  const shortfall = numerator - amountOut * denominator;
  if (shortfall <= 0n || numerator === 0n) return 0;
  return Number.parseInt(((shortfall * WHOLE_BPS) / numerator).toString(), 10);
}
