import fc from 'fast-check';
import { baseUnitsSchema, MAX_BASE_UNITS, parseBaseUnits } from './base-units';

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

  it.each(['', '-1', '+1', '1.0', '1e3', '0x1', ' 1', '1 ', '١', (MAX_BASE_UNITS + 1n).toString(), '9'.repeat(5000)])(
    'rejects %j',
    (text) => {
      expect(parseBaseUnits(text)).toBeUndefined();
      expect(baseUnitsSchema.safeParse(text).success).toBe(false);
    },
  );
});
