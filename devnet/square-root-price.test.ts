import fc from 'fast-check';
import { squareRootPriceX96 } from './square-root-price';

it('is the largest number of 96 fractional bits whose square does not exceed the price', () => {
  const amount = fc.bigInt({ min: 1n, max: 1n << 112n });
  fc.assert(
    fc.property(amount, amount, (amount0, amount1) => {
      const root = squareRootPriceX96(amount0, amount1);
      const price = (amount1 << 192n) / amount0;
      expect(root * root <= price && (root + 1n) * (root + 1n) > price).toBe(true);
    }),
  );
});

it('is 2^96 at a price of one', () => {
  expect(squareRootPriceX96(5n, 5n)).toBe(1n << 96n);
});
