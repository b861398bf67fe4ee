/** Prices of a V3 pool are powers of 1.0001; the tick is the exponent. */
export const MIN_TICK = -887_272;
export const MAX_TICK = 887_272;

const WORKING_BITS = 400n;
const RATIO_BITS = 128n;
const TICK_BITS = 20;

/** 1.0001^(-2^n / 2) in 128 fractional bits, rounded to nearest, for each bit n of a tick. */
const RATIOS: readonly bigint[] = ratiosOfBits();

function ratiosOfBits(): readonly bigint[] {
  const one = 1n << WORKING_BITS;
  const ratios: bigint[] = [];
  let power = squareRoot((10_001n << (2n * WORKING_BITS)) / 10_000n);
  for (let bit = 0; bit < TICK_BITS; bit += 1) {
    ratios.push(((one << RATIO_BITS) + power / 2n) / power);
    power = (power * power) >> WORKING_BITS;
  }
  return ratios;
}

/** Newton's method, rounded down. */
function squareRoot(value: bigint): bigint {
  let root = 1n << BigInt((value.toString(2).length >> 1) + 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

const WHOLE = 1n << RATIO_BITS;
const MAX_UINT256 = (1n << 256n) - 1n;

/**
 * Square root of the price at a tick, times 2^96, equal to the result of the contracts: the product of the ratios of the
 * tick's bits, each truncated to 128 bits, the result rounded up to 96.
 */
export function sqrtPriceAtTick(tick: number): bigint {
  const distance = Math.abs(tick);
  let ratio = WHOLE;
  RATIOS.forEach((ofBit, bit) => {
    if ((distance & (1 << bit)) !== 0) ratio = (ratio * ofBit) >> RATIO_BITS;
  });
  if (tick > 0) ratio = MAX_UINT256 / ratio;
  return (ratio + 0xffff_ffffn) >> 32n;
}

export const MIN_SQRT_PRICE = sqrtPriceAtTick(MIN_TICK);
export const MAX_SQRT_PRICE = sqrtPriceAtTick(MAX_TICK);
