import { setTimeout as wait } from 'node:timers/promises';
import { fakeProvider, offerFor, offering, quoteRequest, silent, units } from '../../test/swaps/swap-world';
import { serviceError } from '../errors/service-error';
import { createProviderAsker } from './ask-provider';

const request = quoteRequest();
const asker = (budgetMs = 60) => createProviderAsker({ budgetMs, log: silent });

describe('asking a provider', () => {
  it('gives its offer', async () => {
    const answer = await asker()(offering('alpha', 99n), request);
    expect(answer).toMatchObject({ provider: 'alpha', outcome: 'quote', quote: { expectedAmountOut: 99n } });
  });

  it('tells that there is no route from that nobody could be asked', async () => {
    const none = fakeProvider('alpha', () => Promise.resolve(undefined));
    expect(await asker()(none, request)).toEqual({ provider: 'alpha', outcome: 'noRoute' });
    const failure = serviceError('PROVIDER_UNAVAILABLE', { provider: 'alpha', reason: 'r' });
    const down = fakeProvider('alpha', () => Promise.reject(failure));
    expect(await asker()(down, request)).toMatchObject({ outcome: 'failed', error: failure });
  });

  it.each([
    ['heeds its signal', (_: unknown, signal: AbortSignal) => wait(10_000, undefined, { signal, ref: false })],
    ['ignores its signal', () => wait(10_000, undefined, { ref: false })],
  ])('does not wait longer than the budget for one that %s', async (_, answer) => {
    const started = performance.now();
    const slow = fakeProvider('alpha', answer);
    expect(await asker()(slow, request)).toMatchObject({
      ...{ outcome: 'failed', error: { code: 'PROVIDER_UNAVAILABLE', message: expect.stringContaining('in time') } },
    });
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it('survives one that throws what it must not', async () => {
    const broken = fakeProvider('alpha', () => {
      throw new TypeError('secret internals');
    });
    const answer = await asker()(broken, request);
    expect(answer).toMatchObject({ outcome: 'failed', error: { code: 'PROVIDER_UNAVAILABLE' } });
    expect(JSON.stringify(answer)).not.toContain('secret internals');
  });

  it('is done once for five hundred identical questions of the same moment, and anew afterwards', async () => {
    let asked = 0;
    const counting = fakeProvider('alpha', async (given) => {
      asked += 1;
      await wait(5);
      return offerFor(given);
    });
    const ask = asker();
    const answers = await Promise.all(Array.from({ length: 500 }, () => ask(counting, quoteRequest())));
    expect(asked).toBe(1);
    expect(new Set(answers).size).toBe(1);
    await ask(counting, request);
    expect(asked).toBe(2);
    await Promise.all([ask(counting, request), ask(counting, quoteRequest({ amount: units(1n) }))]);
    expect(asked).toBe(4);
  });

  const exactOut = quoteRequest({ side: 'out' });
  it.each([
    ['sells another amount', request, { amountIn: units(4n) }],
    ['takes more than asked', request, { maxAmountIn: units(5_000_001n) }],
    ['promises less than the slippage allows', request, { minAmountOut: units(4_965_049n) }],
    ['promises more than it expects', request, { minAmountOut: units(4_990_001n) }],
    ['gives nothing', request, { expectedAmountOut: units(0n), minAmountOut: units(0n) }],
    ['knows no price impact', request, { priceImpactBps: Number.NaN }],
    ['gives another amount', exactOut, { minAmountOut: units(4_999_999n) }],
    ['takes more than the slippage allows', exactOut, { maxAmountIn: units(5_014_951n) }],
  ])('discards an offer that %s', async (_, given, changes) => {
    const strange = fakeProvider('alpha', () => Promise.resolve(offerFor(given, changes)));
    expect(await asker()(strange, given)).toMatchObject({ outcome: 'failed', error: { code: 'PROVIDER_UNAVAILABLE' } });
  });

  it('accepts an exact amount out', async () => {
    expect(await asker()(offering('alpha', 4_990_000n), exactOut)).toMatchObject({ outcome: 'quote' });
  });
});
