import fc from 'fast-check';
import { type Pool, poolKey } from './pool';
import { v2Depth, v3Depth } from './pool-state';
import { priceImpactBps } from './price-impact';

const [LOW, HIGH] = [
  '0x00000000000000000000000000000000000000Aa',
  '0x00000000000000000000000000000000000000bB',
] as const;
const FACTORY = '0x1F98431c8aD98523631AE4a59f267346ea31F984';
const pool: Pool = { ...poolKey({ factory: FACTORY, fee: 3000 }, HIGH, LOW), address: FACTORY };
const Q96 = 2n ** 96n;

describe('the key of a pool', () => {
  it('does not depend on the order of its tokens', () => {
    expect(poolKey({ factory: FACTORY, fee: 500 }, HIGH, LOW)).toEqual(
      poolKey({ factory: FACTORY, fee: 500 }, LOW, HIGH),
    );
    expect(pool.token0).toBe(LOW);
  });
});

describe('the depth of a pool', () => {
  it('has the price of the pool in both directions', () => {
    // A square root of 2 is a price of 4 token 1 for one token 0.
    const state = { sqrtPriceX96: 2n * Q96, liquidity: 1000n };
    expect(v3Depth(pool, state, LOW)).toEqual({ reserveIn: 500n * Q96, reserveOut: 2000n * Q96, fee: 3000n });
    expect(v3Depth(pool, state, HIGH)).toEqual({ reserveIn: 2000n * Q96, reserveOut: 500n * Q96, fee: 3000n });
    const reserves = { reserve0: 500n, reserve1: 2000n };
    expect(v2Depth(pool, reserves, LOW)).toEqual({ reserveIn: 500n * Q96, reserveOut: 2000n * Q96, fee: 3000n });
  });

  it('is missing when the pool has no liquidity', () => {
    expect(v3Depth(pool, { sqrtPriceX96: 0n, liquidity: 0n }, LOW)).toBeUndefined();
    expect(v3Depth(pool, { sqrtPriceX96: Q96, liquidity: 0n }, LOW)).toBeUndefined();
    expect(v2Depth(pool, { reserve0: 0n, reserve1: 5n }, LOW)).toBeUndefined();
  });
});

describe('price impact', () => {
  const reserve = fc.bigInt({ min: 10n ** 6n, max: 10n ** 27n });

  it('of a constant-product pool depends on the share of the reserve that is traded, fees excluded', () => {
    // The input is 10 % of the reserve: the output is 1/11 less than at the price before.
    const depth = { reserveIn: 1_000_000n, reserveOut: 1_000_000n, fee: 0n };
    expect(priceImpactBps({ amountIn: 100_000n, amountOut: 90_909n }, [depth])).toBe(909);
    const withFee = { ...depth, fee: 3000n };
    expect(priceImpactBps({ amountIn: 1000n, amountOut: 997n }, [withFee])).toBe(0);
  });

  it('is between 0 and 10,000 basis points for every trade', () => {
    fc.assert(
      fc.property(
        reserve,
        reserve,
        fc.bigInt({ min: 1n, max: 10n ** 30n }),
        fc.bigInt({ min: 0n, max: 10n ** 30n }),
        (...sample) => {
          const [reserveIn, reserveOut, amountIn, amountOut] = sample;
          const impact = priceImpactBps({ amountIn, amountOut }, [{ reserveIn, reserveOut, fee: 500n }]);
          expect(impact).toBeGreaterThanOrEqual(0);
          expect(impact).toBeLessThanOrEqual(10_000);
        },
      ),
    );
  });
});
