import fc from 'fast-check';
import { toBaseUnits } from './base-units';
import {
  addShare,
  formatSlippage,
  MAX_SLIPPAGE,
  MIN_SLIPPAGE,
  parseShare,
  parseSlippage,
  partOf,
  type PartsPerMillion,
  subtractShare,
  WHOLE_SHARE,
} from './slippage';

const amounts = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const shares = fc.bigInt({ min: 0n, max: WHOLE_SHARE }).map((share) => share as PartsPerMillion);

describe('a share of an amount', () => {
  it('is rounded down', () => {
    fc.assert(
      fc.property(amounts, shares, (amount, share) => {
        const rest = amount * share - partOf(amount, share) * WHOLE_SHARE;
        expect(rest >= 0n && rest < WHOLE_SHARE).toBe(true);
      }),
    );
  });

  it('is the amount itself when it is whole', () => {
    fc.assert(fc.property(amounts, (amount) => expect(partOf(amount, WHOLE_SHARE)).toBe(amount)));
  });

  it.each([
    ['0', 0n],
    ['0.1', 100_000n],
    ['0.070', 70_000n],
    ['0.000001', 1n],
    ['1', 1_000_000n],
    ['1.000000', 1_000_000n],
  ])('is read from %s', (text, share) => {
    expect(parseShare(text)).toBe(share);
  });

  it.each(['', '-0.1', '.1', '1.', '1.000001', '2', '0.0000001', '1e-3', '00.1', ' 0.1'])(
    'is not read from %j',
    (text) => {
      expect(parseShare(text)).toBeUndefined();
    },
  );
});

describe('an amount with a share added or subtracted', () => {
  it('is never worse for the caller than the exact one, by less than a unit', () => {
    fc.assert(
      fc.property(amounts, shares, (amount, share) => {
        const below = amount * (WHOLE_SHARE - share) - subtractShare(toBaseUnits(amount), share) * WHOLE_SHARE;
        const above = addShare(toBaseUnits(amount), share) * WHOLE_SHARE - amount * (WHOLE_SHARE + share);
        expect(below >= 0n && below < WHOLE_SHARE).toBe(true);
        expect(above >= 0n && above < WHOLE_SHARE).toBe(true);
      }),
    );
  });

  it('is rounded only where the share is no whole number of units', () => {
    const [half, tenth] = [500_000n, 100_000n] as [PartsPerMillion, PartsPerMillion];
    expect([subtractShare(toBaseUnits(3n), half), addShare(toBaseUnits(3n), half)]).toEqual([1n, 5n]);
    expect([subtractShare(toBaseUnits(100n), tenth), addShare(toBaseUnits(100n), tenth)]).toEqual([90n, 110n]);
  });
});

describe('a slippage', () => {
  it.each([
    ['0.005', 5000n],
    ['.005', 5000n],
    ['0.0001', MIN_SLIPPAGE],
    ['0.5', MAX_SLIPPAGE],
    ['0.500000', MAX_SLIPPAGE],
    // Digits after the sixth decimal are dropped.
    ['0.0050009', 5000n],
    ['0.499999999999999999999999999999999999', 499_999n],
  ])('is read from %s', (text, share) => {
    expect(parseSlippage(text)).toBe(share);
  });

  it.each([
    ...['', '0', '.', '0.', '1', '1.0', '0.00009', '0.000099999999', '0.500000000000000000000000000000000001', '0.6'],
    ...['-0.1', '00.1', '0.1x', 'x0.1', ' 0.1', '1e-3', '0,1', '0.1000000000000000000000000000000000000'],
  ])('is not read from %j', (text) => {
    expect(parseSlippage(text)).toBeUndefined();
  });

  it.each([
    [MIN_SLIPPAGE, '0.0001'],
    [5000n as PartsPerMillion, '0.005'],
    [MAX_SLIPPAGE, '0.5'],
    [123_456n as PartsPerMillion, '0.123456'],
    [101_000n as PartsPerMillion, '0.101'],
  ])('of %d millionths is written as %s', (share, text) => {
    expect(formatSlippage(share)).toBe(text);
  });
});
