import fc from 'fast-check';
import { maxBigInt, minBigInt } from './min-max';

const values = fc.array(fc.bigInt(), { minLength: 1 }) as fc.Arbitrary<[bigint, ...bigint[]]>;

describe('minBigInt and maxBigInt', () => {
  it('return one of the values, and no other value is smaller or larger', () => {
    fc.assert(
      fc.property(values, (given) => {
        const [minimum, maximum] = [minBigInt(...given), maxBigInt(...given)];
        expect(given).toEqual(expect.arrayContaining([minimum, maximum]));
        expect(given.every((value) => minimum <= value && value <= maximum)).toBe(true);
      }),
    );
  });
});
