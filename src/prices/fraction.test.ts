import fc from 'fast-check';
import { type Fraction, shareOf, times } from './fraction';

const positive = fc.bigInt({ min: 1n, max: 10n ** 60n });
const fractions: fc.Arbitrary<Fraction> = fc.record({ numerator: positive, denominator: positive });

describe('a fraction', () => {
  it('is exact', () => {
    const third = { numerator: 1n, denominator: 3n };
    expect(shareOf(9n, third)).toBe(3n);
    expect(times(third, { numerator: 3n, denominator: 1n })).toEqual({ numerator: 3n, denominator: 3n });
  });

  it('has shares of amounts that are rounded down once, also after a product', () => {
    fc.assert(
      fc.property(positive, fractions, fractions, (amount, one, other) => {
        const share = shareOf(amount, times(one, other));
        const exact = amount * one.numerator * other.numerator;
        const denominator = one.denominator * other.denominator;
        expect(share * denominator <= exact && exact < (share + 1n) * denominator).toBe(true);
      }),
    );
  });
});
