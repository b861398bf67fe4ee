import fc from 'fast-check';
import { divideUp } from './divide-up';

const positive = fc.bigInt({ min: 1n, max: 2n ** 256n });

it('the quotient is the smallest integer whose product with the denominator is not below the numerator', () => {
  fc.assert(
    fc.property(positive, positive, (numerator, denominator) => {
      const quotient = divideUp(numerator, denominator);
      expect(quotient * denominator >= numerator && (quotient - 1n) * denominator < numerator).toBe(true);
    }),
  );
  expect([divideUp(6n, 3n), divideUp(7n, 3n)]).toEqual([2n, 3n]);
});
