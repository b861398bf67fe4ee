import fc from 'fast-check';
import { fromApiAmount, roundToApiPrecision, tokenUnit, toApiAmount } from './api-amount';

const amount = fc.bigInt({ min: 0n, max: 10n ** 40n - 1n });
const unit = fc.integer({ min: 0, max: 18 }).map(tokenUnit);

describe('amounts in the API of the primary ramp', () => {
  it('survive a round trip in the precision of the ramp', () => {
    fc.assert(
      fc.property(amount, unit, (any, each) => {
        const exact = roundToApiPrecision(any, each, 'down');
        expect(fromApiAmount(toApiAmount(exact, each), each)).toBe(exact);
      }),
    );
  });

  it('are rounded to the precision of the ramp in the requested direction', () => {
    fc.assert(
      fc.property(amount, unit, (any, each) => {
        const step = 10n ** BigInt(each.decimals - each.precision);
        const [down, up] = [roundToApiPrecision(any, each, 'down'), roundToApiPrecision(any, each, 'up')];
        expect(down % step).toBe(0n);
        expect(up % step).toBe(0n);
        expect(down <= any && any <= up).toBe(true);
        expect(any - down < step && up - any < step).toBe(true);
      }),
    );
  });

  it.each([
    ['100.00', 2, 10_000n],
    ['100', 2, 10_000n],
    ['0.5', 2, 50n],
    ['0.009', 2, 0n],
    ['18.25', 6, 18_250_000n],
    ['0.000001', 18, 1_000_000_000_000n],
  ])('reads %s with %i decimals', (text, decimals, units) => {
    expect(fromApiAmount(text, tokenUnit(decimals))).toBe(units);
  });

  it('are rounded to the unit below or above the written amount', () => {
    const decimal = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.stringMatching(/^\d{1,20}$/));
    fc.assert(
      fc.property(decimal, unit, ([whole, fraction], each) => {
        const text = `${whole.toString()}.${fraction}`;
        const [down, up] = [fromApiAmount(text, each)!, fromApiAmount(text, each, 'up')!];
        const scale = 10n ** BigInt(20 - each.decimals);
        const exact = BigInt(`${whole.toString()}${fraction.padEnd(20, '0')}`);
        expect(down * scale <= exact && exact <= up * scale).toBe(true);
        expect(up - down).toBe(down * scale === exact ? 0n : 1n);
      }),
    );
  });

  it.each(['', '-1', '1e3', '1,5', '.5', '1.', 'NaN', ' 1', '1.2.3', '9'.repeat(41)])(
    'reads no amount from "%s"',
    (text) => {
      expect(fromApiAmount(text, tokenUnit(6))).toBeUndefined();
    },
  );
});
