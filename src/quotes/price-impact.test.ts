import { L2_USDC, offerFor, PRICED_AT, quoteRequest, units } from '../../test/swaps/swap-world';
import { ONE_DOLLAR } from '../money/usd';
import { tradeImpact } from './price-impact';

const price = { usd: ONE_DOLLAR, asOf: PRICED_AT, source: 'peg' };
const market = { tokenIn: price, tokenOut: price };

describe('the price impact against the market', () => {
  it.each([
    ['a loss up', 84_990_100n, 1501],
    ['a loss of less than a basis point up', 99_999_999n, 1],
    ['a whole number of basis points to itself', 85_000_000n, 1500],
    ['a gain towards zero', 100_019_900n, -1],
    ['a gain of less than a basis point to zero', 100_000_001n, 0],
  ])('rounds %s', (_, amountOut, bps) => {
    const request = quoteRequest({ tokenOut: L2_USDC, amount: units(100_000_000n) });
    const offer = offerFor(request, { priced: amountOut });
    expect(tradeImpact({ request, offer, market })).toEqual({ lost: 100_000_000n - amountOut, bps });
  });
});
