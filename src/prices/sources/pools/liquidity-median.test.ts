import type { PoolPrice } from '../../chain-prices';
import { liquidityMedian } from './liquidity-median';

const pool = (price: bigint, depthUsd: bigint): PoolPrice => ({
  usd: { numerator: price, denominator: 100n },
  depthUsd,
  source: `${price}`,
});
const median = (...pools: readonly PoolPrice[]) => liquidityMedian(pools, 10_000n);

describe('the median of pools by liquidity', () => {
  it('is missing without a deep enough pool', () => {
    expect(median()).toBeUndefined();
    expect(median(pool(100n, 9999n))).toBeUndefined();
    expect(median(pool(100n, 10_000n))?.source).toBe('100');
  });

  it('is not moved by many pools with less liquidity than one honest pool', () => {
    const wrong = Array.from({ length: 9 }, (_, index) => pool(500n + BigInt(index), 10_000n));
    expect(median(...wrong, pool(100n, 100_000n))).toMatchObject({ source: '100', confidenceBps: 5263 });
  });

  it('is as certain as the share of the liquidity that agrees within 1 %', () => {
    expect(median(pool(100n, 50_000n), pool(101n, 30_000n), pool(102n, 20_000n))).toMatchObject({
      source: '100',
      confidenceBps: 8000,
    });
  });
});
