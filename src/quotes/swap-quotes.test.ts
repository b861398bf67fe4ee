import { CUSTOMER, fakeProvider, offerFor, PRICED, quoteDeps, USDC } from '../../test/swaps/swap-world';
import { serviceError } from '../errors/service-error';
import { createStreamSlots, streamQuotes } from './stream-quotes';
import { swapQuotes } from './swap-quotes';

const savePrices = () => Promise.resolve();
const everywhere = { capabilities: { supports: () => true } };
const ramp = fakeProvider('primary', () => Promise.reject(serviceError('QUOTE_EXPIRED')), everywhere);
const composed = fakeProvider('primary-swap', (request) => Promise.resolve(offerFor(request)), everywhere);
const deps = {
  ...quoteDeps({ providers: [ramp, composed] }),
  savePrices,
  slots: createStreamSlots(),
  findLimit: () => Promise.resolve(50),
};
const fiat = { ...PRICED, originChain: 'fiat', tokenIn: 'BRL', tokenOut: USDC.address };

describe('the quotes of a fiat route', () => {
  it.each([
    [undefined, 'first'],
    ['FIRST', 'first'],
    ['Primary', 'primary'],
  ])('carry the requested name of the ramp: %p', async (rampProvider, name) => {
    const fields = { ...fiat, rampProvider };
    const quotes = await swapQuotes(deps, { customerId: CUSTOMER, fields });
    expect(quotes).toMatchObject([
      { provider: name, quote: undefined, reason: { code: 'QUOTE_EXPIRED' } },
      { provider: name, quote: { provider: name } },
    ]);
    const controller = new AbortController();
    const { signal } = controller;
    const stream = await streamQuotes(deps, { customerId: CUSTOMER, fields, countRoundRequest: savePrices, signal });
    const events = [await stream.next(), await stream.next()];
    expect(events.map(({ value }) => value?.provider)).toEqual([name, name]);
    controller.abort();
    await stream.return();
  });

  it('carry the names of the providers on token routes', async () => {
    const quotes = await swapQuotes(deps, { customerId: CUSTOMER, fields: PRICED });
    expect(quotes.map(({ provider }) => provider)).toEqual(['primary', 'primary-swap']);
  });
});
