import type { PoolDepth } from './pool-state';
import { minBigInt } from '../money/min-max';

/** Price and output balance of one pool of a route, in base units. */
export interface HopLiquidity {
  readonly depth: PoolDepth;
  readonly balanceOut: bigint;
}

const MILLION = 1_000_000n;
/** A trade worth more than this many times the pool's output balance loses most of its value. */
const MAX_OUTPUT_PER_BALANCE = 2n;

/**
 * The largest input worth pricing on a route: at current prices no pool would pay more than twice its balance. A larger
 * trade loses two thirds of its value or is not filled.
 */
export function maxAmountInAtSpot(route: readonly HopLiquidity[]): bigint {
  let limit: bigint | undefined;
  let [numerator, denominator] = [1n, 1n];
  for (const { depth, balanceOut } of route) {
    numerator *= depth.reserveOut * (MILLION - depth.fee);
    denominator *= depth.reserveIn * MILLION;
    const poolLimit = (MAX_OUTPUT_PER_BALANCE * balanceOut * denominator) / numerator;
    limit = minBigInt(poolLimit, limit ?? poolLimit);
  }
  return limit ?? 0n;
}

/** False when a pool of the route holds less than it would pay at its current price. */
export function canPayOut(route: readonly HopLiquidity[], amountOut: bigint): boolean {
  let owed = amountOut;
  for (const { depth, balanceOut } of route.toReversed()) {
    if (owed >= balanceOut) return false;
    owed = (owed * depth.reserveIn) / depth.reserveOut;
  }
  return true;
}
