import fc from 'fast-check';
import { devnet, devnetL2, offerFor, quoteRequest, USDC } from '../../test/swaps/swap-world';
import { FIAT_CHAIN_ID } from '../chains/chain';
import { createChainTable } from '../chains/chain-table';
import { KNOWN_CHAINS } from '../chains/known-chains';
import { serviceError } from '../errors/service-error';
import { amountInTooHigh, amountInTooLow } from '../venues/amount-bounds';
import type { ProviderAnswer } from '../venues/ask-provider';
import { chooseOffer, type Wish } from './choose-offer';

const reference = (address: string) => ({ address, shownAddress: address });
const wish = (changes: Partial<Wish> = {}): Wish => ({
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

const offered = (provider: string, side: 'in' | 'out', { priced, gasLimit = 100n }: Terms): ProviderAnswer => ({
  provider,
  outcome: 'quote',
  quote: offerFor(quoteRequest({ side }), { provider, priced, gasLimit }),
});
const noRoute = (provider: string): ProviderAnswer => ({ provider, outcome: 'noRoute' });
const down = (provider: string): ProviderAnswer => ({
  provider,
  outcome: 'failed',
  error: serviceError('PROVIDER_UNAVAILABLE', { provider, reason: 'it is down' }),
});
const tooLow: ProviderAnswer = {
  provider: 'beta',
  outcome: 'failed',
  error: serviceError('AMOUNT_IN_TOO_LOW', { minimum: '41 BRLA' }),
};

const thrownBy = (...input: Parameters<typeof chooseOffer>): unknown => {
  try {
    return chooseOffer(...input);
  } catch (error) {
    return error;
  }
};

describe('the offer that is kept', () => {
  it('pays the most for an exact amount in, and takes the least for an exact amount out', () => {
    const prices = fc.array(fc.bigInt({ min: 1n, max: 2n ** 100n }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(prices, (priced) => {
        const answers = (side: 'in' | 'out') => priced.map((price, i) => offered(`p${i}`, side, { priced: price }));
        const ascending = [...priced].sort((a, b) => (a < b ? -1 : 1));
        expect(chooseOffer(wish(), answers('in')).expectedAmountOut).toBe(ascending.at(-1));
        expect(chooseOffer(wish({ side: 'out' }), answers('out')).amountIn).toBe(ascending[0]);
      }),
    );
  });

  it('takes less gas between equals, and comes first between twins', () => {
    const answers = [120n, 90n, 90n].map((gasLimit, i) => offered(`p${i}`, 'in', { priced: 9n, gasLimit }));
    expect(chooseOffer(wish(), answers).provider).toBe('p1');
  });

  it('does not care who else failed', () => {
    expect(chooseOffer(wish(), [down('a'), tooLow, noRoute('c'), offered('d', 'in', { priced: 1n })]).provider).toBe(
      'd',
    );
  });
});

describe('without an offer the answer', () => {
  it('is that there is no route when everybody says so', () => {
    expect(thrownBy(wish(), [noRoute('a'), noRoute('b')])).toMatchObject({
      code: 'NO_ROUTE_FOUND',
      message: 'No route from 0xIn on devnet to 0xOut on devnet',
    });
  });

  it('is about the amount when a provider says so, with the bound in words', () => {
    expect(thrownBy(wish(), [noRoute('a'), tooLow, down('c')])).toMatchObject({
      code: 'AMOUNT_IN_TOO_LOW',
      message: expect.stringContaining('(min ~41 BRLA)'),
    });
  });

  it('is that nobody could be asked, with every reason, as soon as one could not', () => {
    expect(thrownBy(wish(), [noRoute('a'), down('b'), down('c')])).toMatchObject({
      code: 'QUOTE_GENERATION_FAILED',
      message: expect.stringMatching(/provider b .*provider c /),
      details: { providers: [{ provider: 'b', code: 'PROVIDER_UNAVAILABLE' }, { provider: 'c' }] },
    });
  });

  it('is about the widest bound when several providers name one', () => {
    const low = (provider: string, minimum: bigint): ProviderAnswer => ({
      provider,
      outcome: 'failed',
      error: amountInTooLow(minimum, USDC),
    });
    const high = (provider: string, maximum: bigint): ProviderAnswer => ({
      provider,
      outcome: 'failed',
      error: amountInTooHigh(maximum, USDC),
    });
    const messageOf = (answers: readonly ProviderAnswer[]) => (thrownBy(wish(), answers) as Error).message;
    expect(messageOf([low('a', 7_000_000n), low('b', 5_000_000n), low('c', 6_000_000n)])).toContain('(min ~5 USDC)');
    expect(messageOf([tooLow, low('b', 5_000_000n)])).toContain('(min ~5 USDC)');
    expect(messageOf([high('a', 7_000_000n), high('b', 9_000_000n)])).toContain('(max ~9 USDC)');
  });

  it('between chains is that no bridge could be reached, when none could', () => {
    const bridged = wish({ destination: devnetL2 });
    const broken: ProviderAnswer = { provider: 'd', outcome: 'failed', error: serviceError('BRIDGE_API_ERROR') };
    expect(thrownBy(bridged, [down('b'), broken])).toMatchObject({
      code: 'BRIDGE_API_ERROR',
      status: 502,
      details: { providers: [{ provider: 'b', code: 'PROVIDER_UNAVAILABLE' }, { provider: 'd' }] },
    });
    expect(thrownBy(bridged, [down('b'), noRoute('a')])).toMatchObject({ code: 'QUOTE_GENERATION_FAILED' });
    expect(thrownBy(bridged, [noRoute('a')])).toMatchObject({ code: 'NO_ROUTE_FOUND' });
    expect(thrownBy(bridged, [down('b'), tooLow])).toMatchObject({ code: 'AMOUNT_IN_TOO_LOW' });
  });

  it('of a ramp is what it says, and that it could not be asked by the code that the contract has for it', () => {
    const fiat = createChainTable(KNOWN_CHAINS).get(FIAT_CHAIN_ID);
    const asked = (ramp: 'primary' | 'secondary') => wish({ origin: fiat, ramp });
    expect(thrownBy(asked('secondary'), [down('secondary')])).toMatchObject({
      code: 'SECONDARY_RAMP_API_ERROR',
      status: 502,
    });
    expect(thrownBy(asked('primary'), [down('primary')])).toMatchObject({ code: 'QUOTE_GENERATION_FAILED' });
    const refused: ProviderAnswer = { provider: 'secondary', outcome: 'failed', error: serviceError('QUOTE_EXPIRED') };
    expect(thrownBy(asked('secondary'), [refused])).toMatchObject({ code: 'QUOTE_EXPIRED' });
    expect(thrownBy(asked('secondary'), [noRoute('secondary')])).toMatchObject({ code: 'NO_ROUTE_FOUND' });
  });

  it('names the preferred provider and its reason', () => {
    const code = 'PREFERRED_PROVIDER_QUOTE_UNAVAILABLE';
    const preferred = wish({ preferredProvider: 'ALPHA' });
    expect(thrownBy(preferred, [down('alpha')])).toMatchObject({
      code,
      message: expect.stringMatching(/alpha.*is down/),
    });
    expect(thrownBy(preferred, [noRoute('alpha')])).toMatchObject({ code, message: expect.stringMatching(/no route/) });
    expect(thrownBy(preferred, [tooLow])).toMatchObject({ code: 'AMOUNT_IN_TOO_LOW' });
  });
});
