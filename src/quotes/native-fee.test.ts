import fc from 'fast-check';
import { usdPrice } from '../../test/setup/usd';
import {
  CUSTOMER,
  DAI,
  ETH,
  fakeProvider,
  offerFor,
  offering,
  PRICED,
  PRICED_AT,
  quoteDeps,
  quoteRequest,
  rejection,
  units,
  USDC,
} from '../../test/swaps/swap-world';
import type { Token } from '../tokens/token';
import type { ProviderQuote } from '../venues/quote-provider';
import type { ProviderResult } from '../venues/request-provider-quote';
import { nativeFeeInTokenOut, type PricedRequest, withBoundedNativeFee } from './native-fee';
import { quoteSwap } from './quote-swap';
import { createStreamSlots, streamQuotes } from './stream-quotes';
import { swapQuotes } from './swap-quotes';

const price = (usd: string) => ({ usd: usdPrice(usd), asOf: PRICED_AT, source: 'peg' });
const market = { tokenIn: price('1'), tokenOut: price('1'), native: price('2000') };
const priced = (tokens: readonly [Token, Token], changes: Partial<PricedRequest['market']> = {}): PricedRequest => ({
  request: quoteRequest({ tokenIn: tokens[0], tokenOut: tokens[1] }),
  market: { ...market, ...changes },
});
const offer = (changes: Partial<ProviderQuote>): ProviderQuote => ({ ...offerFor(quoteRequest()), ...changes });

/** Worth two dollars. */
const FEE = 10n ** 15n;

describe('the value of a native fee', () => {
  it('is that of the bought token at market prices, rounded up', () => {
    expect(nativeFeeInTokenOut(offer({ nativeFee: FEE }), priced([USDC, DAI]))).toBe(2n * 10n ** 18n);
    expect(nativeFeeInTokenOut(offer({ nativeFee: FEE }), priced([DAI, USDC]))).toBe(2_000_000n);
    expect(nativeFeeInTokenOut(offer({ nativeFee: 1n }), priced([DAI, USDC]))).toBe(1n);
    const half = priced([USDC, DAI], { tokenOut: price('0.5') });
    expect(nativeFeeInTokenOut(offer({ nativeFee: FEE }), half)).toBe(4n * 10n ** 18n);
  });

  it('is the same share of the output as of the input where only the sold token has a price', () => {
    const amounts = fc.bigInt({ min: 1n, max: 10n ** 30n });
    fc.assert(
      fc.property(amounts, amounts, amounts, (nativeFee, amountIn, out) => {
        const sold = offer({ nativeFee, amountIn: units(amountIn), expectedAmountOut: units(out) });
        const value = nativeFeeInTokenOut(sold, priced([ETH, DAI], { tokenOut: undefined, native: undefined }))!;
        expect(value * amountIn >= nativeFee * out && (value - 1n) * amountIn < nativeFee * out).toBe(true);
      }),
    );
    const traded = offer({ nativeFee: FEE, amountIn: units(10_000_000n), expectedAmountOut: units(5n) });
    expect(nativeFeeInTokenOut(traded, priced([USDC, DAI], { tokenOut: undefined }))).toBe(1n);
  });

  it('is zero without a fee, and unresolved without prices', () => {
    const none = { tokenIn: undefined, tokenOut: undefined, native: undefined };
    for (const nativeFee of [undefined, 0n])
      expect(nativeFeeInTokenOut(offer({ nativeFee }), priced([USDC, DAI], none))).toBe(0n);
    for (const missing of [none, { native: undefined }, { tokenIn: undefined, tokenOut: undefined }])
      expect(nativeFeeInTokenOut(offer({ nativeFee: 1n }), priced([USDC, DAI], missing))).toBeUndefined();
  });
});

describe('an offer with a native fee', () => {
  const bounded = (nativeFee: bigint, changes: Partial<PricedRequest['market']> = {}): ProviderResult => {
    const quote = offer({ provider: 'lifi', nativeFee, expectedAmountOut: units(8n * 10n ** 18n) });
    return withBoundedNativeFee({ provider: 'lifi', outcome: 'quote', quote }, priced([USDC, DAI], changes));
  };

  it('is an offer as long as its output is worth four times the fee', () => {
    expect(bounded(FEE)).toMatchObject({ outcome: 'quote', quote: { nativeFee: FEE } });
    expect(bounded(FEE + 1n)).toMatchObject({
      provider: 'lifi',
      outcome: 'failed',
      error: { code: 'AMOUNT_IN_TOO_LOW', message: expect.stringContaining('5.000001 USDC') },
    });
    expect(bounded(10n ** 30n)).toMatchObject({ outcome: 'failed' });
  });

  it('is a failure, and no outage, when its fee cannot be compared with the output', () => {
    expect(bounded(FEE, { native: undefined })).toMatchObject({
      outcome: 'failed',
      error: {
        code: 'QUOTE_GENERATION_FAILED',
        message: expect.stringContaining('the fee of 0.001 ETH cannot be compared with the output'),
      },
    });
    expect(bounded(0n, { native: undefined })).toMatchObject({ outcome: 'quote' });
  });

  it('is an offer up to a fee of five dollars when the tokens have no price', () => {
    const unpriced = { tokenIn: undefined, tokenOut: undefined };
    const fiveDollars = (FEE * 5n) / 2n;
    for (const nativeFee of [1n, FEE, fiveDollars])
      expect(bounded(nativeFee, unpriced)).toMatchObject({ outcome: 'quote', quote: { nativeFee } });
    expect(bounded(fiveDollars + 1n, unpriced)).toMatchObject({
      outcome: 'failed',
      error: { code: 'QUOTE_GENERATION_FAILED' },
    });
  });
});

describe('among several offers, one with a native fee', () => {
  const costly = (nativeFee: bigint) =>
    fakeProvider('costly', (request) =>
      Promise.resolve(offerFor(request, { provider: 'costly', priced: 5_100_000n, nativeFee })),
    );
  const depsWith = (nativeFee: bigint) => ({
    ...quoteDeps({ providers: [offering('alpha', 4_990_000n), costly(nativeFee)] }),
    savePrices: () => Promise.resolve(),
    slots: createStreamSlots(),
    findLimit: () => Promise.resolve(50),
  });
  const request = { customerId: CUSTOMER, fields: PRICED };

  it.each([
    [10n, 'costly'], // worth 20,000 units of the bought token
    [54n, 'costly'],
    [56n, 'alpha'],
    [10n ** 18n, 'alpha'],
  ])('of %d wei is best only if more remains than others give', async (nativeFee, provider) => {
    expect((await quoteSwap(depsWith(nativeFee), request)).offer.provider).toBe(provider);
  });

  it('that is excessive is refused, also where its provider is preferred or offers are listed', async () => {
    const deps = depsWith(10n ** 18n);
    const fields = { ...PRICED, preferredProvider: 'costly' };
    expect(await rejection(quoteSwap(deps, { ...request, fields }))).toMatchObject({ code: 'AMOUNT_IN_TOO_LOW' });
    const refused = { provider: 'costly', quote: undefined, reason: { code: 'AMOUNT_IN_TOO_LOW' } };
    expect(await swapQuotes(deps, request)).toMatchObject([{ provider: 'alpha', reason: undefined }, refused]);
    const controller = new AbortController();
    const { signal } = controller;
    const stream = await streamQuotes(deps, { ...request, countRoundRequest: () => Promise.resolve(), signal });
    const events = [await stream.next(), await stream.next()].map(({ value }) => value);
    expect(events.find((event) => event?.provider === 'costly')).toMatchObject(refused);
    controller.abort();
    await stream.return();
  });
});
