/** Largest integer whose square is not above `value`. */
function integerSquareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (guess + value / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

/** Square root of `amount1 / amount0` (base units) with 96 fractional bits, as V3 pools keep the price. */
export function squareRootPriceX96(amount0: bigint, amount1: bigint): bigint {
  return integerSquareRoot((amount1 << 192n) / amount0);
}
