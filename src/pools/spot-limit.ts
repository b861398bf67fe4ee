import type { PoolDepth } from './pool-state';

/** One pool of a route: how it trades now, and how much it holds of what it pays, in base units. */
export interface StockedPool {
  readonly depth: PoolDepth;
  readonly stockOut: bigint;
}

const MILLION = 1_000_000n;
/** A trade worth more than this many times what a pool holds of the other token loses most of its value. */
const HOPELESS = 2n;

/**
 * The largest amount in that is worth pricing on a route: at current prices no pool would owe more than twice what it
 * holds. Beyond it a trade loses two thirds of its value or is not filled at all.
 */
export function spotLimit(route: readonly StockedPool[]): bigint {
  let limit: bigint | undefined;
  let [numerator, denominator] = [1n, 1n];
  for (const { depth, stockOut } of route) {
    numerator *= depth.reserveOut * (MILLION - depth.fee);
    denominator *= depth.reserveIn * MILLION;
    const here = (HOPELESS * stockOut * denominator) / numerator;
    limit = limit === undefined || here < limit ? here : limit;
  }
  return limit ?? 0n;
}

/** False when a pool of the route does not even hold what it would have to pay, at prices that are only getting worse. */
export function holdsEnough(route: readonly StockedPool[], amountOut: bigint): boolean {
  let owed = amountOut;
  for (const { depth, stockOut } of route.toReversed()) {
    if (owed >= stockOut) return false;
    owed = (owed * depth.reserveIn) / depth.reserveOut;
  }
  return true;
}
