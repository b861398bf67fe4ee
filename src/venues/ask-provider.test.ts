import { setTimeout as wait } from 'node:timers/promises';
import { fakeProvider, offerFor, offering, quoteRequest, silent, units } from '../../test/swaps/swap-world';
import { serviceError } from '../errors/service-error';
import { createProviderAsker } from './ask-provider';
import { createProviderGuards } from './provider-guards';

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
      outcome: 'failed',
      error: { code: 'PROVIDER_UNAVAILABLE', message: expect.stringContaining('in time') },
    });
    expect(performance.now() - started).toBeLessThan(5000); // its answer takes ten seconds
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

  it('keeps the budget for questions that wait for their turn, and does not ask them afterwards', async () => {
    let asked = 0;
    const guards = createProviderGuards({ concurrency: 1, queue: 10 });
    const ask = createProviderAsker({ budgetMs: 300, guards, log: silent });
    const stuck = fakeProvider('alpha', () => {
      asked += 1;
      return new Promise(() => undefined);
    });
    const started = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => ask(stuck, quoteRequest({ amount: units(BigInt(i + 1)) }))),
    );
    expect(performance.now() - started).toBeLessThan(1800); // in turn they would take eight budgets
    expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(['failed']));
    await wait(50);
    expect(asked).toBe(1);
  });

  it('is given up when nobody waits any more, and only then', async () => {
    const signals: AbortSignal[] = [];
    const held = fakeProvider('alpha', (_, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    });
    const ask = asker(10_000);
    const [first, second] = [new AbortController(), new AbortController()];
    const answers = [ask(held, request, first.signal), ask(held, request, second.signal)];
    first.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    second.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect((await Promise.all(answers)).map(({ outcome }) => outcome)).toEqual(['failed', 'failed']);
    void ask(held, request, AbortSignal.timeout(50));
    expect(signals).toHaveLength(2); // a later caller does not get the abandoned one
  });

  it('goes on for a caller who stays when one who shares the question goes', async () => {
    let release = (): void => undefined;
    const held = fakeProvider('alpha', async (given) => {
      await new Promise<void>((resolve) => (release = resolve));
      return offerFor(given);
    });
    const ask = asker(10_000);
    const leaving = new AbortController();
    const [gone, stays] = [ask(held, request, leaving.signal), ask(held, request)];
    leaving.abort();
    release();
    expect(await stays).toMatchObject({ outcome: 'quote' });
    await gone;
  });

  it('says nothing against a provider when it is given up', async () => {
    const guards = createProviderGuards({ failures: 1 });
    const ask = createProviderAsker({ budgetMs: 10_000, guards, log: silent });
    const heeding = fakeProvider('alpha', async (_, signal) => {
      await wait(10_000, undefined, { signal, ref: false }).catch((cause: unknown) => {
        throw serviceError('PROVIDER_UNAVAILABLE', { provider: 'alpha', reason: 'aborted' }, { cause });
      });
      return undefined;
    });
    const leaving = new AbortController();
    const answer = ask(heeding, request, leaving.signal);
    leaving.abort();
    await answer;
    await wait(5);
    expect(guards.state('alpha')).toBe('closed');
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
