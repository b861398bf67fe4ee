import { CUSTOMER, PRICED, quoteDeps } from '../../test/swaps/swap-world';
import { usd } from '../../test/setup/usd';
import { quotedValues } from './find-quote';
import { quoteSwap } from './quote-swap';
import { quoteView } from './quote-view';

describe('the values of a quote in US dollars', () => {
  it('are exact, of a new quote and of a stored one', async () => {
    const view = quoteView(await quoteSwap(quoteDeps(), { customerId: CUSTOMER, fields: PRICED }));
    const values = quotedValues(view);
    expect(values).toMatchObject({
      amountInUsd: usd('5'),
      amountOutUsd: usd('0'),
      feeLines: [
        { kind: 'bridgeAndSlippage', amountInUSD: usd('5') },
        { kind: 'gas', symbol: 'ETH', amountInUSD: usd('0.6') },
      ],
    });
    expect(quotedValues(JSON.parse(JSON.stringify(view)))).toEqual(values);
  });

  it.each([
    ['a number', 1_234_567_890.123456, usd('1234567890.123456')],
    ['a small number', 0.000001, usd('0.000001')],
    ['no value', undefined, undefined],
    ['an implausible number', 1e77, undefined],
  ])('may be %s in a quote of an earlier version', (_, stored, amount) => {
    const side = { amountInUSD: stored };
    const line = { kind: 'gas', amountRaw: '1', decimals: 18, symbol: 'ETH', ...side };
    const values = quotedValues({ tokenIn: side, tokenOut: side, feeBreakdown: { lines: [line] } });
    expect(values).toMatchObject({ amountInUsd: amount, amountOutUsd: amount, feeLines: [{ amountInUSD: amount }] });
  });
});
