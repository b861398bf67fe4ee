import fc from 'fast-check';
import { formatUsdPrice } from '../money/usd';
import { checkedObservation, priceOfNumber, priceOfText } from './checked-observation';

const NOW = 1_800_000_000_000;
const reported = (changes: Partial<Parameters<typeof checkedObservation>[0]> = {}) =>
  checkedObservation(
    {
      usdE24: 10n ** 24n,
      observedAt: NOW / 1000 - 10,
      maxAgeSeconds: 60,
      source: 'pyth',
      confidenceBps: 9990,
      kind: 'oracle',
      ...changes,
    },
    NOW,
  );

describe('a reported price', () => {
  it('keeps the time of its observation', () => {
    expect(reported()).toEqual({
      usdE24: 10n ** 24n,
      asOf: new Date(NOW - 10_000),
      freshUntil: new Date(NOW - 10_000 + 60_000),
      source: 'pyth',
      confidenceBps: 9990,
      kind: 'oracle',
    });
  });

  it.each([
    ['zero', { usdE24: 0n }],
    ['negative', { usdE24: -1n }],
    ['unreadable', { usdE24: undefined }],
    ['above a million million dollars', { usdE24: 10n ** 36n + 1n }],
    ['stale', { observedAt: NOW / 1000 - 61 }],
    ['from the future', { observedAt: NOW / 1000 + 61 }],
    ['without a time', { observedAt: Number.NaN }],
    ['at an infinite time', { observedAt: Infinity }],
    ['before all time', { observedAt: -Infinity }],
  ])('is refused when it is %s', (_, changes) => {
    expect(reported(changes)).toBeUndefined();
  });

  it('is never of the future, though clocks differ', () => {
    expect(reported({ observedAt: NOW / 1000 + 59 })?.asOf).toEqual(new Date(NOW));
  });
});

describe('a price as a JSON number', () => {
  it('is read from its decimal text, not from its binary value', () => {
    for (const text of ['0.1', '3000.25', '0.000001', '123456789.123456']) {
      expect(formatUsdPrice(priceOfNumber(Number.parseFloat(text))!)).toBe(text);
    }
  });

  it('is exact below a millionth, where JavaScript prints an exponent', () => {
    expect(formatUsdPrice(priceOfNumber(7.2e-7)!)).toBe('0.00000072');
    expect(formatUsdPrice(priceOfNumber(1e-20)!)).toBe('0.00000000000000000001');
    expect(formatUsdPrice(priceOfNumber(1.234567890123e-9)!)).toBe('0.000000001234567890123');
  });

  it('equals its shortest decimal text, whatever the number', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 1e12, noNaN: true }), (value) => {
        const read = formatUsdPrice(priceOfNumber(value)!);
        // The text has at most 24 decimals, which a number above 10^-7 never exceeds.
        expect(Math.abs(Number.parseFloat(read) - value)).toBeLessThanOrEqual(value < 1e-7 ? 1e-24 : 0);
      }),
    );
  });

  it.each([0, -0, -1, Number.NaN, Infinity, -Infinity, 1e21, 1e300, 5e-324, 1e-25])('%d is refused', (value) => {
    expect(priceOfNumber(value)).toBeUndefined();
  });
});

describe('a price as text', () => {
  it.each(['', '1e3', '1E-3', '-1', '+1', 'NaN', 'Infinity', '0x10', '1,000', ' 1', '0', '0.0', '9'.repeat(41)])(
    '%j is refused',
    (text) => {
      expect(priceOfText(text)).toBeUndefined();
    },
  );
});
