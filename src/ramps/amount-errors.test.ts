import { amountRangeError, isUnknownRange, remainingLimitError, unknownRangeError } from './amount-errors';

const BRL = { decimals: 2, currency: 'BRL' };
const allowed = (units: bigint) => ({ units, inclusive: true });
const excluded = (units: bigint) => ({ units, inclusive: false });

describe('the message of an amount that the ramp refuses', () => {
  it.each([
    [allowed(1000n), allowed(500_000n), '(min ~10 BRL, max ~5000 BRL)', { minimum: '1000', maximum: '500000' }],
    [allowed(1000n), undefined, '(min ~10 BRL)', { minimum: '1000' }],
    [undefined, allowed(500_000n), '(max ~5000 BRL)', { maximum: '500000' }],
    [
      excluded(150n),
      excluded(500_000n),
      '(min more than 1.5 BRL, max less than 5000 BRL)',
      { minimum: '150', maximum: '500000' },
    ],
  ])('names only the known bounds, and those that are not allowed: %p %p', (...[minimum, maximum, text, bounds]) => {
    const error = amountRangeError({ ...BRL, minimum, maximum });
    expect(error.message).toBe(`The amount is outside the range of the ramp provider ${text}`);
    expect(error.details).toEqual({ ...bounds, currency: 'BRL' });
    expect(isUnknownRange(error)).toBe(false);
  });

  it('says that the ramp does not report its range', () => {
    const unknown = amountRangeError({ ...BRL, minimum: undefined, maximum: undefined });
    for (const error of [unknown, unknownRangeError()]) {
      expect(error.message).toContain('(the ramp does not report it)');
      expect(error.details).toBeUndefined();
      expect(isUnknownRange(error)).toBe(true);
    }
  });

  it.each([
    [{ units: 25_000n, decimals: 2, currency: 'USD' }, '(max ~250 USD)', { maximum: '25000', currency: 'USD' }],
    [undefined, '(the ramp does not report it)', undefined],
  ])('names the remaining limit of the account when the ramp reports it: %p', (remaining, text, details) => {
    const error = remainingLimitError(remaining);
    expect(error.message).toBe(`The amount exceeds the remaining limit of the account at the ramp ${text}`);
    expect(error.details).toEqual(details);
  });
});
