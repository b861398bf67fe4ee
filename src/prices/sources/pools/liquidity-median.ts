import type { PoolPrice, UnitPrice } from '../../chain-prices';
import type { Fraction } from '../../fraction';

const FULL_BPS = 10_000n;
/** Pools within this many basis points of the median agree with it. */
const AGREEING_BPS = 100n;

/**
 * The price at which half of the liquidity is cheaper: a pool with little liquidity hardly moves it. Pools with less than
 * `minDepthUsd` dollars are ignored. The confidence is the share of the liquidity within 1 % of the result.
 */
export function liquidityMedian(pools: readonly PoolPrice[], minDepthUsd: bigint): UnitPrice | undefined {
  const sorted = pools.filter(({ depthUsd }) => depthUsd >= minDepthUsd).toSorted(byPrice);
  const total = depthOf(sorted);
  let cumulated = 0n;
  const median = sorted.find(({ depthUsd }) => {
    cumulated += depthUsd;
    return cumulated * 2n >= total;
  });
  if (median === undefined || total === 0n) return undefined;
  const agreeing = depthOf(sorted.filter(({ usd }) => agrees(usd, median.usd)));
  const { usd, source, flags = [] } = median;
  return { usd, source, flags, confidenceBps: Number.parseInt(((agreeing * FULL_BPS) / total).toString(), 10) };
}

const depthOf = (pools: readonly PoolPrice[]): bigint => pools.reduce((sum, { depthUsd }) => sum + depthUsd, 0n);

const byPrice = ({ usd: one }: PoolPrice, { usd: other }: PoolPrice): number => {
  const difference = one.numerator * other.denominator - other.numerator * one.denominator;
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
};

function agrees(one: Fraction, other: Fraction): boolean {
  const [left, right] = [one.numerator * other.denominator, other.numerator * one.denominator];
  const difference = left > right ? left - right : right - left;
  return difference * FULL_BPS <= right * AGREEING_BPS;
}
