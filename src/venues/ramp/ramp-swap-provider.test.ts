import { fakeRamp } from '../../../test/swaps/fake-fiat';
import {
  BRL,
  DAI,
  devnet,
  fakeProvider,
  offerFor,
  quoteRequest,
  rejection,
  silent,
  units,
  USDC,
} from '../../../test/swaps/swap-world';
import { createChainTable } from '../../chains/chain-table';
import { KNOWN_CHAINS } from '../../chains/known-chains';
import { serviceError } from '../../errors/service-error';
import { amountRangeError, unknownRangeError } from '../../ramps/amount-errors';
import { createQuoteRequester } from '../request-provider-quote';
import { createRampSwapProvider } from './ramp-swap-provider';

const anchor = { ...devnet, tokens: [{ ...USDC, logoURI: undefined }] };
const chains = createChainTable([...KNOWN_CHAINS, anchor]);
const WETH = { ...DAI, symbol: 'WETH', address: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2' };
const notUsed = {} as never;

/** Quotes a sale of 5 WETH for reais, which the ramp refuses, through 12,500 USDC. */
function quoteThrough(refusal: Error, received = 12_500_000_000n) {
  const provider = createRampSwapProvider({
    ramp: fakeRamp('primary', {
      paysOutReceivedAmount: true,
      supports: ({ token }) => token.symbol === 'USDC',
      quote: () => Promise.reject(refusal),
    }),
    venues: [fakeProvider('alpha', (request) => Promise.resolve(offerFor(request, { priced: received })))],
    requestProviderQuote: createQuoteRequester({ budgetMs: 5000, log: silent }),
    chains,
    tickets: notUsed,
    rpc: notUsed,
    serviceWallet: undefined,
  });
  const request = quoteRequest({
    origin: anchor,
    destination: chains.get(BRL.chainId),
    tokenIn: WETH,
    tokenOut: BRL,
    amount: units(5n * 10n ** 18n),
    fiat: {
      ramp: 'primary',
      name: 'first',
      rail: 'PIX',
      thirdParty: false,
      account: undefined,
      payout: undefined,
    },
  });
  return rejection(provider.quote(request, AbortSignal.timeout(5000)));
}

const USDC_RANGE = {
  decimals: 6,
  currency: 'USDC',
  minimum: { units: 1_000_000n, inclusive: true },
  maximum: { units: 12_500_000_000n, inclusive: false },
};

describe('an amount that a ramp refuses behind a swap', () => {
  it('has its range in the sold token', async () => {
    const error = await quoteThrough(amountRangeError(USDC_RANGE));
    expect(error).toMatchObject({
      code: 'RAMP_AMOUNT_OUT_OF_RANGE',
      message: expect.stringContaining('(min more than 0.0004 WETH, max less than 5 WETH)'),
      details: { minimum: '400000000000000', maximum: '5000000000000000000', currency: 'WETH' },
    });
  });

  it('has the minimum rounded up and the maximum down', async () => {
    // 5 * 10^18 / 3 and 2 * 5 * 10^18 / 3.
    const range = { ...USDC_RANGE, minimum: { units: 1n, inclusive: true }, maximum: { units: 2n, inclusive: true } };
    expect(await quoteThrough(amountRangeError(range), 3n)).toMatchObject({
      details: { minimum: '1666666666666666667', maximum: '3333333333333333333' },
    });
  });

  it('has only the bounds that the ramp reports', async () => {
    const error = await quoteThrough(amountRangeError({ ...USDC_RANGE, maximum: undefined }));
    expect(error).toMatchObject({ message: expect.stringContaining('(min more than 0.0004 WETH)') });
    expect((error as { details: unknown }).details).toEqual({ minimum: '400000000000000', currency: 'WETH' });
  });

  it.each([
    ['the range is unknown', unknownRangeError()],
    ['the range is that of the payout', amountRangeError({ ...USDC_RANGE, decimals: 2, currency: 'BRL' })],
    ['the error is another one', serviceError('QUOTE_EXPIRED')],
  ])('has the error of the ramp when %s', async (_, refusal) => {
    expect(await quoteThrough(refusal)).toBe(refusal);
  });
});
