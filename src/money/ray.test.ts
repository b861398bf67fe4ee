import fc from 'fast-check';
import { divideRayDown, multiplyRayDown, multiplyRayHalfUp, multiplyRayUp, RAY } from './ray';

const amount = fc.bigInt({ min: 0n, max: 2n ** 128n });
const ray = fc.bigInt({ min: 1n, max: 10n ** 33n });

/** Twice the distance between `value` and amount × ray / RAY, times RAY: exact, since it stays a whole number. */
const doubledError = (value: bigint, product: bigint): bigint => 2n * (value * RAY - product);

it('products are rounded to the side that their name says, by less than one unit', () => {
  fc.assert(
    fc.property(amount, ray, (assets, factor) => {
      const product = assets * factor;
      const [down, up, half] = [multiplyRayDown, multiplyRayUp, multiplyRayHalfUp].map((multiply) =>
        doubledError(multiply(assets, factor), product),
      ) as [bigint, bigint, bigint];
      expect(down <= 0n && down > -2n * RAY).toBe(true);
      expect(up >= 0n && up < 2n * RAY).toBe(true);
      expect(half > -RAY && half <= RAY).toBe(true);
    }),
  );
});

it('a half is rounded up, as by the contracts', () => {
  expect(multiplyRayHalfUp(1n, RAY / 2n)).toBe(1n);
  expect(multiplyRayHalfUp(1n, RAY / 2n - 1n)).toBe(0n);
});

it('a quotient is the largest amount whose product does not exceed the dividend', () => {
  fc.assert(
    fc.property(amount, ray, (assets, factor) => {
      const quotient = divideRayDown(assets, factor);
      expect(quotient * factor <= assets * RAY).toBe(true);
      expect((quotient + 1n) * factor > assets * RAY).toBe(true);
    }),
  );
});

it('a product is rounded up only where it is no whole number of units', () => {
  expect([multiplyRayUp(1n, RAY), multiplyRayUp(1n, RAY + 1n), multiplyRayUp(7n, 2n * RAY)]).toEqual([1n, 2n, 14n]);
});
