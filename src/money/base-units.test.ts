import fc from 'fast-check';
import { baseUnitsSchema, formatBaseUnits, MAX_BASE_UNITS, parseBaseUnits } from './base-units';

describe('parseBaseUnits', () => {
  it('reads every amount up to 2^256 - 1 in its only spelling', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX_BASE_UNITS }), (amount) => {
        expect(parseBaseUnits(amount.toString())).toBe(amount);
        expect(parseBaseUnits(`0${amount.toString()}`)).toBeUndefined();
        expect(baseUnitsSchema.parse(amount.toString())).toBe(amount);
      }),
    );
  });

  it('reads zero in one spelling, and nothing beside digits', () => {
    expect(parseBaseUnits('0')).toBe(0n);
    expect(parseBaseUnits(MAX_BASE_UNITS.toString())).toBe(MAX_BASE_UNITS);
    for (const text of ['00', '1x', 'x1', '0 ']) expect(parseBaseUnits(text)).toBeUndefined();
  });

  it.each(['', '-1', '+1', '1.0', '1e3', '0x1', ' 1', '1 ', '١', (MAX_BASE_UNITS + 1n).toString(), '9'.repeat(5000)])(
    'rejects %j',
    (text) => {
      expect(parseBaseUnits(text)).toBeUndefined();
      expect(baseUnitsSchema.safeParse(text).success).toBe(false);
    },
  );
});

describe('an amount that a third party states', () => {
  it('is refused with the reason when it is no amount', () => {
    const { error } = baseUnitsSchema.safeParse('1.5');
    expect(error?.issues.map(({ message }) => message)).toEqual(['must be an amount']);
  });
});

describe('the text of an amount', () => {
  it.each([
    [1_500_000n, 6, '1.5'],
    [-1_500_000n, 6, '-1.5'],
    [0n, 6, '0'],
    [0n, 0, '0'],
    [1n, 6, '0.000001'],
    [-1n, 6, '-0.000001'],
    [1_000_001n, 6, '1.000001'],
    [100n, 0, '100'],
    [10_100_000n, 6, '10.1'],
    [20_000_000n, 6, '20'],
  ])('of %d units with %d decimals is %s', (amount, decimals, text) => {
    expect(formatBaseUnits(amount, decimals)).toBe(text);
  });
});
