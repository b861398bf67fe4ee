import { USDC } from '../../test/swaps/swap-world';
import { serviceError } from '../errors/service-error';
import { amountInTooHigh, amountInTooLow, widestBound } from './amount-bounds';

const [low, high] = [amountInTooLow(5n, USDC), amountInTooHigh(9n, USDC)];
const boundless = serviceError('AMOUNT_IN_TOO_LOW', { minimum: 'more than 7 USDC' });

describe('the widest bound of amount errors', () => {
  it('is the lowest minimum or the highest maximum', () => {
    const lower = amountInTooLow(4n, USDC);
    const higher = amountInTooHigh(10n, USDC);
    expect(widestBound([low, lower])).toBe(lower);
    expect(widestBound([lower, low])).toBe(lower);
    expect(widestBound([high, higher])).toBe(higher);
    expect(widestBound([higher, high])).toBe(higher);
  });

  it.each([
    ['of the same code', low],
    ['of another code', high],
  ])('is never of an error without a bound beside one %s', (_, bounded) => {
    expect(widestBound([boundless, bounded])).toBe(bounded);
    expect(widestBound([bounded, boundless])).toBe(bounded);
  });

  it('is the first of two codes, and of errors without bounds', () => {
    expect(widestBound([low, high])).toBe(low);
    expect(widestBound([high, low])).toBe(high);
    const other = serviceError('AMOUNT_IN_TOO_HIGH', { maximum: 'less than 7 USDC' });
    expect(widestBound([other, boundless])).toBe(other);
    expect(widestBound([])).toBeUndefined();
  });
});
