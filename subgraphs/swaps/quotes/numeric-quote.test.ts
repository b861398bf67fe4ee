import fc from 'fast-check';
import { CUSTOMER, PRICED, quoteDeps } from '../../../test/swaps/swap-world';
import { formatUsd, parseUsd, toMicroUsd } from '../../../src/money/usd';
import { quoteSwap } from '../../../src/quotes/quote-swap';
import { quoteView, type QuoteView } from '../../../src/quotes/quote-view';
import { numericQuote } from './numeric-quote';

let view: QuoteView;
beforeAll(async () => {
  view = quoteView(await quoteSwap(quoteDeps(), { customerId: CUSTOMER, fields: PRICED }));
});

describe('a quote as the contract shows it', () => {
  it('has numbers in the place of all US dollars, and nothing else changed', () => {
    const { tokenIn, tokenOut, feeBreakdown, gasEstimate, ...rest } = numericQuote(view);
    expect(tokenIn).toEqual({ ...view.tokenIn, amountInUSD: 5, priceInUSD: 1 });
    expect(tokenOut).toEqual({ ...view.tokenOut, amountInUSD: 0, priceInUSD: 1 });
    expect(gasEstimate).toEqual({ ...view.gasEstimate, amountInUSD: 0.6 });
    const [impact, gas] = view.feeBreakdown.lines;
    const lines = [
      { ...impact, amountInUSD: 5 },
      { ...gas, amountInUSD: 0.6 },
    ];
    const summary = { platformFeesTotalInUSD: 0, bridgeAndSlippageImpactOutUSD: 5 };
    expect(feeBreakdown).toEqual({ lines, charges: lines, summary });
    expect(view).toMatchObject(rest);
  });

  it('shows up to 15 digits exactly, in JSON as well', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 15n) + 1n, max: 10n ** 15n - 1n }), (micro) => {
        const amountInUSD = formatUsd(toMicroUsd(micro));
        const { gasEstimate } = numericQuote({ ...view, gasEstimate: { ...view.gasEstimate, amountInUSD } });
        const shown = JSON.parse(JSON.stringify(gasEstimate)) as { readonly amountInUSD: number };
        expect(parseUsd(String(shown.amountInUSD))).toBe(micro);
      }),
    );
  });

  it('lacks the values without a price', () => {
    const tokenIn = { ...view.tokenIn, amountInUSD: undefined, priceInUSD: undefined };
    expect(numericQuote({ ...view, tokenIn }).tokenIn).toEqual(tokenIn);
  });
});
