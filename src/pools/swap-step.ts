/*
 * What a concentrated pool computes between two prices of constant liquidity, in the integers and with the roundings of
 * the contracts: whatever goes in is rounded up, whatever comes out is rounded down. Prices are square roots times 2^96.
 */

const Q96 = 96n;
const MAX_UINT256 = (1n << 256n) - 1n;

/** Two prices, the lower one first, and the liquidity between them. */
export interface PriceRange {
  readonly low: bigint;
  readonly high: bigint;
  readonly liquidity: bigint;
}

export const dividedUp = (numerator: bigint, denominator: bigint): bigint =>
  (numerator + denominator - 1n) / denominator;

/** Base units of token 0 that lie in the range, rounded up. */
export const amount0Up = ({ low, high, liquidity }: PriceRange): bigint =>
  dividedUp(dividedUp((liquidity << Q96) * (high - low), high), low);

/** Base units of token 0 that lie in the range, rounded down. */
export const amount0Down = ({ low, high, liquidity }: PriceRange): bigint =>
  ((liquidity << Q96) * (high - low)) / high / low;

/** Base units of token 1 that lie in the range, rounded up. */
export const amount1Up = ({ low, high, liquidity }: PriceRange): bigint =>
  (liquidity * (high - low) + (1n << Q96) - 1n) >> Q96;

/** Base units of token 1 that lie in the range, rounded down. */
export const amount1Down = ({ low, high, liquidity }: PriceRange): bigint => (liquidity * (high - low)) >> Q96;

/** A price and the liquidity at it. */
export interface PricePoint {
  readonly price: bigint;
  readonly liquidity: bigint;
}

/** The price after `amount` of token 0 came in: rounded up, so that it never falls too far. */
export function priceAfter0In({ price, liquidity }: PricePoint, amount: bigint): bigint {
  if (amount === 0n) return price;
  const scaled = liquidity << Q96;
  const product = amount * price;
  // Where the exact formula overflows, the contracts take one that is less exact.
  return product <= MAX_UINT256 && scaled + product <= MAX_UINT256
    ? dividedUp(scaled * price, scaled + product)
    : dividedUp(scaled, scaled / price + amount);
}

/** The price after `amount` of token 1 came in: rounded down, so that it never rises too far. */
export const priceAfter1In = ({ price, liquidity }: PricePoint, amount: bigint): bigint =>
  price + (amount << Q96) / liquidity;

/** The price after `amount` of token 0 went out, which the range must hold. */
export function priceAfter0Out({ price, liquidity }: PricePoint, amount: bigint): bigint {
  if (amount === 0n) return price;
  const scaled = liquidity << Q96;
  return dividedUp(scaled * price, scaled - amount * price);
}

/** The price after `amount` of token 1 went out, which the range must hold. */
export const priceAfter1Out = ({ price, liquidity }: PricePoint, amount: bigint): bigint =>
  price - dividedUp(amount << Q96, liquidity);
