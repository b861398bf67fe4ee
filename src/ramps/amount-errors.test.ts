import { amountRangeError, remainingLimitError } from './amount-errors';

describe('the message of an amount that the ramp refuses', () => {
  it.each([
    [{ minimum: '10 BRL', maximum: '5000 BRL' }, '(min ~10 BRL, max ~5000 BRL)'],
    [{ minimum: '10 BRL', maximum: undefined }, '(min ~10 BRL)'],
    [{ minimum: undefined, maximum: '5000 BRL' }, '(max ~5000 BRL)'],
    [{ minimum: undefined, maximum: undefined }, '(the ramp does not report it)'],
  ])('names only the known bounds of the range: %j', (bounds, expected) => {
    expect(amountRangeError(bounds).message).toBe(`The amount is outside the range of the ramp provider ${expected}`);
  });

  it.each([
    ['250 USD', '(max ~250 USD)'],
    [undefined, '(the ramp does not report it)'],
  ])('names the remaining limit of the account when the ramp reports it: %s', (remaining, expected) => {
    const { message } = remainingLimitError(remaining);
    expect(message).toBe(`The amount exceeds the remaining limit of the account at the ramp ${expected}`);
  });
});
