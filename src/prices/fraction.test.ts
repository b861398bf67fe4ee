import { shareOf, times, toNumber } from './fraction';

describe('a fraction', () => {
  it('is exact until it is converted to a number', () => {
    const third = { numerator: 1n, denominator: 3n };
    expect(shareOf(9n, third)).toBe(3n);
    expect(times(third, { numerator: 3n, denominator: 1n })).toEqual({ numerator: 3n, denominator: 3n });
    expect(toNumber(third)).toBe(1 / 3);
  });

  it('keeps prices far below a cent', () => {
    expect(toNumber({ numerator: 1n, denominator: 10n ** 18n })).toBe(1e-18);
    expect(toNumber({ numerator: 123_456n, denominator: 1n })).toBe(123_456);
  });
});
