import fc from 'fast-check';
import { basisPointsOf, basisPointsSchema } from './basis-points';

describe('the basis points of a rate', () => {
  it.each([
    ['0.0012', 'fraction', 12],
    ['-0.0012', 'fraction', 12],
    ['0.00124999999999999999999999999999999999', 'fraction', 12],
    ['0.00125', 'fraction', 13],
    ['-0.25', 'percent', 25],
    // 28.499999999999996 as a product of doubles.
    [0.285, 'percent', 29],
    [1e-7, 'percent', 0],
    ['1.5e1', 'percent', 1500],
    [100, 'percent', 10_000],
    [0, 'fraction', 0],
    ['999999999', 'fraction', 1_000_000_000],
  ] as const)('of %p as a %s are %d', (rate, unit, bps) => {
    expect(basisPointsOf(rate, unit)).toBe(bps);
    expect(basisPointsSchema(unit).parse(rate)).toBe(bps);
  });

  it('are the nearest integer to the exact rate', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 9n }), fc.integer({ min: 3, max: 12 }), (digits, places) => {
        const text = digits.toString().padStart(places + 1, '0');
        const rate = `${text.slice(0, -places)}.${text.slice(-places)}`;
        const error = BigInt(basisPointsOf(rate, 'percent')!) * 10n ** BigInt(places) - digits * 100n;
        const unit = 10n ** BigInt(places);
        expect(2n * error <= unit && 2n * error > -unit).toBe(true);
      }),
    );
  });

  it('are undefined where a third party states no rate', () => {
    for (const none of [null, '']) expect(basisPointsSchema('percent').parse(none)).toBeUndefined();
  });

  it.each([NaN, Infinity, 'much', '1,5', '.5', '0x10', ' 1', '1e999'])('are not read from %p', (rate) => {
    expect(basisPointsOf(rate, 'percent')).toBeUndefined();
    expect(basisPointsSchema('percent').safeParse(rate).success).toBe(false);
  });
});
