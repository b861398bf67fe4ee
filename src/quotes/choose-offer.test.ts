import fc from 'fast-check';
import { devnet, devnetL2, offerFor, quoteRequest, USDC } from '../../test/swaps/swap-world';
import { FIAT_CHAIN_ID } from '../chains/chain';
import { createChainTable } from '../chains/chain-table';
import { KNOWN_CHAINS } from '../chains/known-chains';
import { serviceError } from '../errors/service-error';
import { amountInTooHigh, amountInTooLow } from '../venues/amount-bounds';
import type { ProviderResult } from '../venues/request-provider-quote';
import { chooseOffer, type OfferCriteria } from './choose-offer';
import { priceError } from './refused-price';

const reference = (address: string) => ({ address, requestedAddress: address });
const criteria = (changes: Partial<OfferCriteria> = {}): OfferCriteria => ({
  origin: devnet,
  destination: devnet,
  tokenIn: reference('0xIn'),
  tokenOut: reference('0xOut'),
  side: 'in',
  preferredProvider: undefined,
  ...changes,
});

interface Terms {
  readonly priced: bigint;
  readonly gasLimit?: bigint;
}

const offered = (provider: string, side: 'in' | 'out', { priced, gasLimit = 100n }: Terms): ProviderResult => ({
  provider,
  outcome: 'quote',
  quote: offerFor(quoteRequest({ side }), { provider, priced, gasLimit }),
});
const noRoute = (provider: string): ProviderResult => ({ provider, outcome: 'noRoute' });
const down = (provider: string): ProviderResult => ({
  provider,
  outcome: 'failed',
  error: serviceError('PROVIDER_UNAVAILABLE', { provider, reason: 'it is down' }),
});
const tooLow: ProviderResult = {
  provider: 'beta',
  outcome: 'failed',
  error: serviceError('AMOUNT_IN_TOO_LOW', { minimum: '~41 BRLA' }),
};

const thrownBy = (...input: Parameters<typeof chooseOffer>): unknown => {
  try {
    return chooseOffer(...input);
  } catch (error) {
    return error;
  }
};

describe('the chosen offer', () => {
  it('has the highest output for an exact input, and the lowest input for an exact output', () => {
    const prices = fc.array(fc.bigInt({ min: 1n, max: 2n ** 100n }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(prices, (priced) => {
        const results = (side: 'in' | 'out') => priced.map((price, i) => offered(`p${i}`, side, { priced: price }));
        const ascending = [...priced].sort((a, b) => (a < b ? -1 : 1));
        expect(chooseOffer(criteria(), results('in')).expectedAmountOut).toBe(ascending.at(-1));
        expect(chooseOffer(criteria({ side: 'out' }), results('out')).amountIn).toBe(ascending[0]);
      }),
    );
  });

  it('needs the least gas on a tie, and is the first of identical offers', () => {
    const results = [120n, 90n, 90n].map((gasLimit, i) => offered(`p${i}`, 'in', { priced: 9n, gasLimit }));
    expect(chooseOffer(criteria(), results).provider).toBe('p1');
  });

  it('is compared by the output or input that remains with its native fee', () => {
    const fees = new Map([
      ['dear', 200n],
      ['cheap', 99n],
    ]);
    const nativeFeeOf = ({ provider }: { readonly provider: string }): bigint => fees.get(provider) ?? 0n;
    const results = (side: 'in' | 'out', priced: readonly bigint[]) =>
      ['free', 'dear', 'cheap'].map((provider, index) => offered(provider, side, { priced: priced[index]! }));
    const bestOf = (side: 'in' | 'out', priced: readonly bigint[]) =>
      chooseOffer(criteria({ side }), results(side, priced), nativeFeeOf).provider;
    expect(bestOf('in', [1000n, 1150n, 1098n])).toBe('free');
    expect(bestOf('in', [1000n, 1150n, 1100n])).toBe('cheap');
    expect(bestOf('in', [1000n, 1202n, 1100n])).toBe('dear');
    // The fee is worth 200 or 99 of five million units of the output, which is the same share of the input.
    expect(bestOf('out', [1_000_000n, 999_962n, 999_982n])).toBe('free');
    expect(bestOf('out', [1_000_000n, 999_962n, 999_980n])).toBe('cheap');
  });

  it('ignores failures of other providers', () => {
    expect(
      chooseOffer(criteria(), [down('a'), tooLow, noRoute('c'), offered('d', 'in', { priced: 1n })]).provider,
    ).toBe('d');
  });
});

describe('the error without an offer', () => {
  it('is NO_ROUTE_FOUND when every provider reports no route', () => {
    expect(thrownBy(criteria(), [noRoute('a'), noRoute('b')])).toMatchObject({
      code: 'NO_ROUTE_FOUND',
      message: 'No route from 0xIn on devnet to 0xOut on devnet',
    });
  });

  it('names the amount bound when a provider reports one', () => {
    expect(thrownBy(criteria(), [noRoute('a'), tooLow, down('c')])).toMatchObject({
      code: 'AMOUNT_IN_TOO_LOW',
      message: expect.stringContaining('(min ~41 BRLA)'),
    });
  });

  it('lists every failure as soon as one provider is unavailable', () => {
    expect(thrownBy(criteria(), [noRoute('a'), down('b'), down('c')])).toMatchObject({
      code: 'QUOTE_GENERATION_FAILED',
      message: expect.stringMatching(/Provider b .*Provider c /),
      details: { providers: [{ provider: 'b', code: 'PROVIDER_UNAVAILABLE' }, { provider: 'c' }] },
    });
  });

  it('says that a request may succeed later only when a provider was unavailable', () => {
    const error = serviceError('QUOTE_GENERATION_FAILED', { reason: 'the token is unlisted' });
    const unlisted: ProviderResult = { provider: 'a', outcome: 'failed', error };
    expect(thrownBy(criteria(), [unlisted, down('b')])).toMatchObject({ details: { retryable: true } });
    expect(thrownBy(criteria(), [unlisted, noRoute('b')])).toMatchObject({ details: { retryable: false } });
  });

  it('names the widest bound of several providers', () => {
    const low = (provider: string, minimum: bigint): ProviderResult => ({
      provider,
      outcome: 'failed',
      error: amountInTooLow(minimum, USDC),
    });
    const high = (provider: string, maximum: bigint): ProviderResult => ({
      provider,
      outcome: 'failed',
      error: amountInTooHigh(maximum, USDC),
    });
    const messageOf = (results: readonly ProviderResult[]) => (thrownBy(criteria(), results) as Error).message;
    expect(messageOf([low('a', 7_000_000n), low('b', 5_000_000n), low('c', 6_000_000n)])).toContain('(min ~5 USDC)');
    expect(messageOf([tooLow, low('b', 5_000_000n)])).toContain('(min ~5 USDC)');
    expect(messageOf([high('a', 7_000_000n), high('b', 9_000_000n)])).toContain('(max ~9 USDC)');
  });

  it('is the price that is closest to the market when all prices are refused', () => {
    const refused = (provider: string, impactBps: number): ProviderResult => ({
      provider,
      outcome: 'failed',
      error: priceError(impactBps, 1500),
    });
    const results = [refused('a', 4000), down('b'), refused('c', 2000)];
    for (const preferredProvider of [undefined, 'c'])
      expect(thrownBy(criteria({ preferredProvider }), results)).toMatchObject({
        code: 'QUOTE_GENERATION_FAILED',
        message:
          'No quote could be generated for these parameters: the price is 20 % below the market, more than the allowed 15 %',
        details: { priceImpactBps: 2000, maxPriceImpactBps: 1500 },
      });
    expect(thrownBy(criteria(), [...results, tooLow])).toMatchObject({ code: 'AMOUNT_IN_TOO_LOW' });
  });

  it('states the reasons of providers without a quote once', () => {
    const error = serviceError('QUOTE_GENERATION_FAILED', { reason: 'the token is unlisted' });
    const unlisted: ProviderResult = { provider: 'a', outcome: 'failed', error };
    expect(thrownBy(criteria(), [unlisted, { ...unlisted, provider: 'c' }, down('b')])).toMatchObject({
      message:
        'No quote could be generated for these parameters: the token is unlisted; Provider b is unavailable: it is down',
    });
    expect(thrownBy(criteria({ preferredProvider: 'a' }), [unlisted])).toMatchObject({
      message: 'Provider a returned no quote: the token is unlisted',
    });
  });

  it('is BRIDGE_API_ERROR between chains when no bridge is available', () => {
    const bridged = criteria({ destination: devnetL2 });
    const broken: ProviderResult = { provider: 'd', outcome: 'failed', error: serviceError('BRIDGE_API_ERROR') };
    expect(thrownBy(bridged, [down('b'), broken])).toMatchObject({
      code: 'BRIDGE_API_ERROR',
      status: 502,
      details: { providers: [{ provider: 'b', code: 'PROVIDER_UNAVAILABLE' }, { provider: 'd' }] },
    });
    expect(thrownBy(bridged, [down('b'), noRoute('a')])).toMatchObject({ code: 'QUOTE_GENERATION_FAILED' });
    expect(thrownBy(bridged, [noRoute('a')])).toMatchObject({ code: 'NO_ROUTE_FOUND' });
    expect(thrownBy(bridged, [down('b'), tooLow])).toMatchObject({ code: 'AMOUNT_IN_TOO_LOW' });
  });

  it('is the error of the ramp on a fiat route, with the contract code for an unavailable ramp', () => {
    const fiat = createChainTable(KNOWN_CHAINS).get(FIAT_CHAIN_ID);
    const criteriaFor = (ramp: 'primary' | 'secondary') => criteria({ origin: fiat, ramp });
    expect(thrownBy(criteriaFor('secondary'), [down('secondary')])).toMatchObject({
      code: 'SECONDARY_RAMP_API_ERROR',
      status: 502,
    });
    expect(thrownBy(criteriaFor('primary'), [down('primary')])).toMatchObject({ code: 'QUOTE_GENERATION_FAILED' });
    const refused: ProviderResult = { provider: 'secondary', outcome: 'failed', error: serviceError('QUOTE_EXPIRED') };
    expect(thrownBy(criteriaFor('secondary'), [refused])).toMatchObject({ code: 'QUOTE_EXPIRED' });
    expect(thrownBy(criteriaFor('secondary'), [noRoute('secondary')])).toMatchObject({ code: 'NO_ROUTE_FOUND' });
  });

  it('names an unavailable ramp as the request does', () => {
    const fiat = createChainTable(KNOWN_CHAINS).get(FIAT_CHAIN_ID);
    const named = criteria({ origin: fiat, ramp: 'primary', rampName: 'avenia' });
    expect(thrownBy(named, [down('primary-swap')])).toMatchObject({ details: { providers: [{ provider: 'avenia' }] } });
  });

  it('names the preferred provider and its reason', () => {
    const code = 'PREFERRED_PROVIDER_QUOTE_UNAVAILABLE';
    const preferred = criteria({ preferredProvider: 'ALPHA' });
    expect(thrownBy(preferred, [down('alpha')])).toMatchObject({
      code,
      message: expect.stringMatching(/alpha.*is down/),
    });
    expect(thrownBy(preferred, [noRoute('alpha')])).toMatchObject({ code, message: expect.stringMatching(/no route/) });
    expect(thrownBy(preferred, [tooLow])).toMatchObject({ code: 'AMOUNT_IN_TOO_LOW' });
  });
});
