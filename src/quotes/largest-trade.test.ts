import fc from 'fast-check';
import { divideUp } from '../money/divide-up';
import { findLargestTrade, type PricedInput } from './largest-trade';

const BPS = 10_000n;
const toNumber = (value: bigint): number => Number.parseInt(value.toString(), 10);

/** A market that pays one unit for each at first, and `output` for an input. Counts its prices. */
function marketWith(output: (amountIn: bigint) => bigint) {
  const inputs: bigint[] = [];
  const priceOf = (amountIn: bigint): PricedInput => {
    const amountOut = output(amountIn);
    return { amountIn, amountOut, impactBps: toNumber(divideUp((amountIn - amountOut) * BPS, amountIn)) };
  };
  const price = (amountIn: bigint) => {
    inputs.push(amountIn);
    return Promise.resolve(priceOf(amountIn));
  };
  return { inputs, price, priceOf };
}

const largest = (market: ReturnType<typeof marketWith>, amountIn: bigint, maximumBps = 1500) =>
  findLargestTrade({ price: market.price, maximumBps, rejected: market.priceOf(amountIn) });

describe('the largest trade within a price impact', () => {
  it('of a constant-product pool is found within a few prices, from any amount above it', async () => {
    const reserves = fc.bigInt({ min: 10n ** 12n, max: 10n ** 27n });
    const bounds = fc.integer({ min: 50, max: 6000 });
    const factors = fc.bigInt({ min: 1n, max: 10n ** 9n });
    await fc.assert(
      fc.asyncProperty(fc.tuple(reserves, factors), bounds, async ([reserve, factor], maximumBps) => {
        const pool = marketWith((amountIn) => (amountIn * reserve) / (reserve + amountIn));
        const limit = (reserve * BigInt(maximumBps)) / (BPS - BigInt(maximumBps));
        const { accepted, rejected } = await largest(pool, limit * (factor + 1n), maximumBps);
        expect(accepted!.impactBps).toBeLessThanOrEqual(maximumBps);
        expect(accepted!.amountIn * 100n).toBeGreaterThanOrEqual(limit * 90n);
        expect(rejected.amountIn).toBeGreaterThan(accepted!.amountIn);
        expect(pool.inputs.length).toBeLessThanOrEqual(6);
      }),
    );
  });

  it.each([2n, 10n, 100n, 1000n])('of a pool that ends at once is found from %s times its size', async (factor) => {
    const cap = 10n ** 18n;
    const pool = marketWith((amountIn) => (amountIn < cap ? amountIn : cap));
    const { accepted } = await largest(pool, cap * factor);
    // The output of 1.176 times the liquidity is 15 % smaller.
    expect(accepted!.amountIn * 100n).toBeGreaterThan(cap * 105n);
    expect(accepted!.impactBps).toBeLessThanOrEqual(1500);
  });

  it('is below an amount that cannot be filled', async () => {
    const rejected = { amountIn: 10n ** 18n, impactBps: undefined };
    const price = (amountIn: bigint) =>
      Promise.resolve(amountIn > 3n * 10n ** 17n ? 'tooHigh' : { amountIn, amountOut: amountIn, impactBps: 0 });
    const { accepted } = await findLargestTrade({ rejected, maximumBps: 1500, price: price as never });
    expect(accepted!.amountIn).toBeGreaterThan(25n * 10n ** 16n);
    expect(accepted!.amountIn).toBeLessThanOrEqual(3n * 10n ** 17n);
  });

  it('is none where every amount loses more, and where the provider has no further price', async () => {
    const skewed = marketWith((amountIn) => amountIn / 2n);
    expect(await largest(skewed, 10n ** 18n)).toMatchObject({ accepted: undefined });
    expect(skewed.inputs).toHaveLength(1);
    const rejected = { amountIn: 10n ** 18n, impactBps: 5000 };
    const gone = { rejected, maximumBps: 1500, price: () => Promise.resolve(undefined) };
    expect(await findLargestTrade(gone)).toEqual({ accepted: undefined, rejected });
  });

  it.each([5n, 6n])('is none where a fixed cost takes too much of %s, after one price', async (whole) => {
    const costly = marketWith((amountIn) => amountIn - 10n ** 6n);
    expect(await largest(costly, whole * 10n ** 6n)).toMatchObject({ accepted: undefined });
    expect(costly.inputs).toHaveLength(1);
  });

  it('has few digits, to be read by people', async () => {
    const reserve = 123_456_789_123_456_789n;
    const pool = marketWith((amountIn) => (amountIn * reserve) / (reserve + amountIn));
    const { accepted } = await largest(pool, reserve);
    expect(accepted!.amountIn.toString()).toMatch(/^\d{1,4}0+$/);
  });
});
