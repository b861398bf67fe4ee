import fc from 'fast-check';
import { RAY } from '../../../test/strategies/scripted-catalog';
import { compoundedYield, fractionalChange, grownYield, yieldAfterFees } from './yields';

const YEAR = 31_536_000;
const BPS = 1e-4;
const E18 = 10n ** 18n;
const BEGIN = new Date('2026-01-01T00:00:00.000Z');
const point = (seconds: number, sharePriceRay: bigint) => ({
  at: new Date(BEGIN.getTime() + seconds * 1000),
  sharePriceRay,
});
/** An integer factor of 10^18 for growth at a yield. */
const growth = (apy: number, seconds: number): bigint =>
  BigInt(Math.round(Math.exp((seconds / YEAR) * Math.log1p(apy)) * 1e18));

describe('the yield of a year', () => {
  const apys = fc.double({ min: -0.5, max: 3, noNaN: true });
  const windows = fc.integer({ min: 3600, max: 30 * 86_400 });

  it('by the growth of a price is within a basis point of the closed form, whatever the decimals of the share', () => {
    // A price of one base unit of a 6-decimal token for 10^12 of the share is the least precise one.
    const prices = fc.bigInt({ min: 10n ** 15n, max: 10n ** 40n });
    fc.assert(
      fc.property(apys, windows, prices, (apy, seconds, price) => {
        const grown = grownYield(point(0, price), point(seconds, (price * growth(apy, seconds)) / E18));
        expect(Math.abs(grown! - apy)).toBeLessThan(BPS);
      }),
    );
  });

  it('by a rate is what interest at this rate gives when it compounds each second', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 2, noNaN: true }), (rate) => {
        const yearlyRateRay = BigInt(Math.round(rate * 1e15)) * 10n ** 12n;
        const expected = (1 + rate / YEAR) ** YEAR - 1;
        expect(Math.abs(compoundedYield(yearlyRateRay)! - expected)).toBeLessThan(BPS * (1 + expected));
      }),
    );
    expect(compoundedYield(RAY / 25n)).toBeCloseTo(0.040810774, 8);
    expect(compoundedYield(0n)).toBe(0);
  });

  it('is not stated for less than an hour, and not from a price of nothing', () => {
    expect(grownYield(point(0, RAY), point(3599, RAY + 1n))).toBeUndefined();
    expect(grownYield(point(0, RAY), point(3600, RAY))).toBe(0);
    expect(grownYield(point(0, 0n), point(7200, RAY))).toBeUndefined();
  });

  it('is negative for a falling price, and absent when it exceeds all numbers', () => {
    expect(grownYield(point(0, RAY), point(86_400, RAY - RAY / 1000n))).toBeCloseTo(-0.3059, 3);
    expect(grownYield(point(0, RAY), point(3600, 10n * RAY))).toBeUndefined();
    expect(grownYield(point(0, RAY), point(3600, 0n))).toBe(-1);
  });

  it('after fees is the yield without the share of the fees', () => {
    expect(yieldAfterFees(0.1, 0)).toBe(0.1);
    expect(yieldAfterFees(0.1, 1500)).toBeCloseTo(0.085, 12);
  });
});

describe('a change', () => {
  it('is exact to fifteen digits for amounts of any size', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 70n }), fc.integer({ min: 0, max: 10_000_000 }), (from, parts) => {
        const to = (from * BigInt(parts)) / 1_000_000n;
        const change = fractionalChange(from * 1_000_000n, to * 1_000_000n + ((from * BigInt(parts)) % 1_000_000n));
        expect(Math.abs(change! - (parts / 1_000_000 - 1))).toBeLessThan(1e-12);
      }),
    );
    expect(fractionalChange(0n, 5n)).toBeUndefined();
  });
});
