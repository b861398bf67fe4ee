import fc from 'fast-check';
import { formatBaseUnits, toBaseUnits } from './base-units';
import { parseDecimal } from './decimal';

const amounts = fc.bigInt({ min: 0n, max: 10n ** 30n }).map(toBaseUnits);
const decimals = fc.integer({ min: 0, max: 24 });

describe('parseDecimal', () => {
  it('reverses formatBaseUnits', () => {
    fc.assert(
      fc.property(amounts, decimals, fc.constantFrom('up' as const, 'down' as const), (amount, places, rounding) => {
        expect(parseDecimal(formatBaseUnits(amount, places), { decimals: places, rounding })).toBe(amount);
      }),
    );
  });

  it('rounds a fraction of the smallest unit down to it or up to the next', () => {
    fc.assert(
      fc.property(amounts, decimals, fc.stringMatching(/^[0-9]{1,10}$/), (amount, places, rest) => {
        const [whole, fraction = ''] = formatBaseUnits(amount, places).split('.');
        const text = `${whole!}.${fraction.padEnd(places, '0')}${rest}`;
        const next = BigInt(rest) > 0n ? amount + 1n : amount;
        expect(parseDecimal(text, { decimals: places, rounding: 'down' })).toBe(amount);
        expect(parseDecimal(text, { decimals: places, rounding: 'up' })).toBe(next);
      }),
    );
  });

  it.each(['', '.', '1.', '.5', '-1', '+1', '1e3', '1,5', ' 1', '1x', '0x1', '1'.repeat(41), `1.${'1'.repeat(41)}`])(
    'rejects %j',
    (text) => {
      expect(parseDecimal(text, { decimals: 6, rounding: 'down' })).toBeUndefined();
    },
  );
});
