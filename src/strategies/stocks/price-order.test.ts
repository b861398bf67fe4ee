import fc from 'fast-check';
import { sampleStrategy } from '../../../test/strategies/sample-strategy';
import { distanceBps, dollarsFor, outputAt, priceOfCents, priceOrder, tokensFor, tokensWorth } from './price-order';

const plain = sampleStrategy('tokenized-stock');
const strategy = (dollarDecimals: number) => ({
  underlying: { ...plain.underlying, decimals: dollarDecimals },
  receipt: { ...plain.receipt, decimals: 18 },
});
const PRICE = 200n * 10n ** 18n;

it.each([6, 18])(
  'buys 5 tokens of 200 dollars for 1,000 dollars with %s decimals, and sells them for as much',
  (decimals) => {
    const dollars = 1000n * 10n ** BigInt(decimals);
    expect(tokensFor(strategy(decimals), dollars, PRICE)).toBe(5n * 10n ** 18n);
    expect(dollarsFor(strategy(decimals), 5n * 10n ** 18n, PRICE)).toBe(dollars);
  },
);

it('lets an order at the price of the market slip by 100 basis points, and one with a limit price by 10', () => {
  const order = { side: 'BUY' as const, sellAmount: 1_000_000_000n, spotPrice: PRICE };
  expect(priceOrder(strategy(6), { ...order, limitCents: undefined })).toEqual({
    sellAmount: 1_000_000_000n,
    expected: 5n * 10n ** 18n,
    buyAmount: 4_950_000_000_000_000_000n,
    slippageBps: 100,
  });
  expect(priceOrder(strategy(6), { ...order, limitCents: 10_000n })).toEqual({
    sellAmount: 1_000_000_000n,
    expected: 10n * 10n ** 18n,
    buyAmount: 9_990_000_000_000_000_000n,
    slippageBps: 10,
  });
});

it('states the distance of a limit price from the price of the stock with its sign', () => {
  expect(distanceBps(priceOfCents(19_800n), PRICE)).toBe(-100);
  expect(distanceBps(priceOfCents(20_100n), PRICE)).toBe(50);
});

it('never takes fewer tokens than bring an amount of dollars, nor one token unit more than needed', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 10n ** 15n }),
      fc.bigInt({ min: 10n ** 16n, max: 10n ** 24n }),
      fc.constantFrom(6, 18),
      (dollars, price, decimals) => {
        const tokens = tokensWorth(strategy(decimals), dollars, price);
        expect(dollarsFor(strategy(decimals), tokens, price)).toBeGreaterThanOrEqual(dollars);
        expect(dollarsFor(strategy(decimals), tokens - 1n, price)).toBeLessThan(dollars);
      },
    ),
    { numRuns: 1000 },
  );
});

it('never accepts less than its price without the slippage, on either side', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 10n ** 24n }),
      fc.bigInt({ min: 10n ** 16n, max: 10n ** 24n }),
      fc.record({
        side: fc.constantFrom('BUY' as const, 'SELL' as const),
        limitCents: fc.option(fc.bigInt({ min: 1n, max: 10n ** 8n }), { nil: undefined }),
      }),
      (sellAmount, spotPrice, { side, limitCents }) => {
        const priced = priceOrder(strategy(6), { side, sellAmount, spotPrice, limitCents });
        const price = limitCents === undefined ? spotPrice : priceOfCents(limitCents);
        const exact = outputAt(strategy(6), { side, sellAmount }, price) * (10_000n - BigInt(priced.slippageBps));
        expect(priced.buyAmount * 10_000n).toBeLessThanOrEqual(exact);
        expect((priced.buyAmount + 1n) * 10_000n).toBeGreaterThan(exact);
      },
    ),
    { numRuns: 1000 },
  );
});
