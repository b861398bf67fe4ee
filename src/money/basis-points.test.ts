import fc from 'fast-check';
import { basisPointsOf, basisPointsSchema } from './basis-points';

describe('the basis points of a rate', () => {
  it.each([
    ['0.0012', 12],
    ['-0.0012', 12],
    ['0.00124999999999999999999999999999999999', 12],
    ['0.00125', 13],
    // 28.499999999999996 as a product of doubles.
    [0.00285, 29],
    [1e-7, 0],
    ['1.5e-1', 1500],
    ['1.5E+1', 150_000],
    ['1e5', 1_000_000_000],
    ['0.12e01', 12_000],
    [1, 10_000],
    [0, 0],
    ['999999999', 1_000_000_000],
  ] as const)('of %p are %d', (rate, bps) => {
    expect(basisPointsOf(rate)).toBe(bps);
    expect(basisPointsSchema.parse(rate)).toBe(bps);
  });

  it('are the nearest integer to the exact rate', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 9n }), fc.integer({ min: 5, max: 14 }), (digits, places) => {
        const text = digits.toString().padStart(places + 1, '0');
        const rate = `${text.slice(0, -places)}.${text.slice(-places)}`;
        const error = BigInt(basisPointsOf(rate)!) * 10n ** BigInt(places) - digits * 10_000n;
        const unit = 10n ** BigInt(places);
        expect(2n * error <= unit && 2n * error > -unit).toBe(true);
      }),
    );
  });

  it('are undefined where a third party states no rate', () => {
    for (const none of [null, '']) expect(basisPointsSchema.parse(none)).toBeUndefined();
  });

  it.each([NaN, Infinity, 'much', '1,5', '.5', '0x10', ' 1', '1e999'])('are not read from %p', (rate) => {
    expect(basisPointsOf(rate)).toBeUndefined();
    expect(basisPointsSchema.safeParse(rate).success).toBe(false);
  });

  it('are refused with the reason where a third party states something else', () => {
    const { error } = basisPointsSchema.safeParse('much');
    expect(error?.issues.map(({ message }) => message)).toEqual(['must be a rate']);
  });

  it.each(['1x', '1e', '1e123', '1.', '1234567890', `0.${'1'.repeat(41)}`])('are not read from the text %j', (rate) => {
    expect(basisPointsOf(rate)).toBeUndefined();
  });
});
