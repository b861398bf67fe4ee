import fc from 'fast-check';
import { feeOn, type FeeRate, grossOf, parseFeeRate } from './fee-rate';

const amount = fc.bigInt({ min: 1n, max: 10n ** 15n });
const rate: fc.Arbitrary<FeeRate> = fc
  .record({ numerator: fc.bigInt({ min: 0n, max: 10n ** 9n - 1n }), denominator: fc.constant(10n ** 9n) })
  .map((value) => value);

describe('a fee in basis points', () => {
  it.each([
    [1, 1n, 10_000n],
    [0, 0n, 10_000n],
    [1.3, 13n, 100_000n],
    ['0.10', 10n, 1_000_000n],
    [1e-7, 1n, 10n ** 11n],
    [9999.99, 999_999n, 1_000_000n],
    ['1.4e1', 14n, 10_000n],
  ])('of %p is parsed without rounding', (text, numerator, denominator) => {
    const parsed = parseFeeRate(text)!;
    expect(parsed.numerator * denominator).toBe(numerator * parsed.denominator);
  });

  it.each([-1, NaN, Infinity, 10_000, '', '1,3', ' 1', '0x10', '1'.repeat(60), '1e99'])('of %p is rejected', (text) => {
    expect(parseFeeRate(text)).toBeUndefined();
  });

  it('is the exact share rounded up', () => {
    fc.assert(
      fc.property(amount, rate, (value, { numerator, denominator }) => {
        const fee = feeOn(value, { numerator, denominator });
        expect(fee * denominator).toBeGreaterThanOrEqual(value * numerator);
        expect((fee - 1n) * denominator).toBeLessThan(value * numerator);
      }),
    );
  });

  it('leaves exactly the net amount of the smallest sufficient gross amount', () => {
    fc.assert(
      fc.property(amount, rate, (net, share) => {
        const gross = grossOf(net, share);
        expect(gross - feeOn(gross, share)).toBe(net);
        expect(gross - 1n - feeOn(gross - 1n, share)).toBeLessThan(net);
      }),
    );
  });
});
