import { ratioNumber } from './ratio-number';

it.each([
  [1n, 2n, 0.5],
  [-1n, 4n, -0.25],
  [2n, 3n, 0.6666666666666666],
  [10n ** 30n, 10n ** 27n, 1000],
  [0n, 7n, 0],
  [1n, 10n ** 24n, 1e-24],
])('%d of %d is the number %d', (numerator, denominator, ratio) => {
  expect(ratioNumber(numerator, denominator)).toBe(ratio);
});
