/*
 * Swap formulas of a V3 pool between two prices of constant liquidity, with the integers and roundings of the contracts:
 * inputs are rounded up, outputs down. Prices are square roots times 2^96.
 */
import { divideUp } from '../money/divide-up';

const Q96 = 96n;
const MAX_UINT256 = (1n << 256n) - 1n;

/** Two prices and the liquidity between them. */
export interface PriceRange {
  readonly low: bigint;
  readonly high: bigint;
  readonly liquidity: bigint;
}

/** Base units of token 0 in the range, rounded up. */
export const amount0Up = ({ low, high, liquidity }: PriceRange): bigint =>
  divideUp(divideUp((liquidity << Q96) * (high - low), high), low);

/** Base units of token 0 in the range, rounded down. */
export const amount0Down = ({ low, high, liquidity }: PriceRange): bigint =>
  ((liquidity << Q96) * (high - low)) / high / low;

/** Base units of token 1 in the range, rounded up. */
export const amount1Up = ({ low, high, liquidity }: PriceRange): bigint =>
  (liquidity * (high - low) + (1n << Q96) - 1n) >> Q96;

/** Base units of token 1 in the range, rounded down. */
export const amount1Down = ({ low, high, liquidity }: PriceRange): bigint => (liquidity * (high - low)) >> Q96;

/** A price and the liquidity at it. */
export interface LiquidityAtPrice {
  readonly price: bigint;
  readonly liquidity: bigint;
}

/** Price after an input of `amount` of token 0, rounded up so that it never falls too far. */
export function priceAfter0In({ price, liquidity }: LiquidityAtPrice, amount: bigint): bigint {
  if (amount === 0n) return price;
  const scaled = liquidity << Q96;
  const product = amount * price;
  // Where the exact formula overflows, the contracts use a less precise one.
  return product <= MAX_UINT256 && scaled + product <= MAX_UINT256
    ? divideUp(scaled * price, scaled + product)
    : divideUp(scaled, scaled / price + amount);
}

/** Price after an input of `amount` of token 1, rounded down so that it never rises too far. */
export const priceAfter1In = ({ price, liquidity }: LiquidityAtPrice, amount: bigint): bigint =>
  price + (amount << Q96) / liquidity;

/** Price after an output of `amount` of token 0, which the range must hold. */
export function priceAfter0Out({ price, liquidity }: LiquidityAtPrice, amount: bigint): bigint {
  if (amount === 0n) return price;
  const scaled = liquidity << Q96;
  return divideUp(scaled * price, scaled - amount * price);
}

/** Price after an output of `amount` of token 1, which the range must hold. */
export const priceAfter1Out = ({ price, liquidity }: LiquidityAtPrice, amount: bigint): bigint =>
  price - divideUp(amount << Q96, liquidity);
