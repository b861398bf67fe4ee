import { setTimeout as wait } from 'node:timers/promises';
import { fakeProvider, offerFor, offering, quoteRequest, silent, units } from '../../test/swaps/swap-world';
import { serviceError } from '../errors/service-error';
import { UpstreamError } from '../http/upstream-error';
import { createQuoteRequester } from './request-provider-quote';
import { createProviderGuards } from './provider-guards';

const request = quoteRequest();
const createRequester = (budgetMs = 60) => createQuoteRequester({ budgetMs, log: silent });

describe('requesting a provider quote', () => {
  it('returns its quote', async () => {
    const result = await createRequester()(offering('alpha', 99n), request);
    expect(result).toMatchObject({ provider: 'alpha', outcome: 'quote', quote: { expectedAmountOut: 99n } });
  });

  it('distinguishes a missing route from an unavailable provider', async () => {
    const none = fakeProvider('alpha', () => Promise.resolve(undefined));
    expect(await createRequester()(none, request)).toEqual({ provider: 'alpha', outcome: 'noRoute' });
    const failure = serviceError('PROVIDER_UNAVAILABLE', { provider: 'alpha', reason: 'r' });
    const down = fakeProvider('alpha', () => Promise.reject(failure));
    expect(await createRequester()(down, request)).toMatchObject({ outcome: 'failed', error: failure });
  });

  it.each([
    ['heeds its signal', (_: unknown, signal: AbortSignal) => wait(600_000, undefined, { signal, ref: false })],
    ['ignores its signal', () => wait(600_000, undefined, { ref: false })],
  ])('does not wait longer than the budget for one that %s', async (_, result) => {
    const slow = fakeProvider('alpha', result);
    expect(await createRequester()(slow, request)).toMatchObject({
      outcome: 'failed',
      error: { code: 'PROVIDER_UNAVAILABLE', message: expect.stringContaining('in time') },
    });
  });

  it.each([
    ['that does not respond', () => wait(10_000, undefined, { ref: false }), 1],
    ['in its cooldown', () => Promise.reject(new UpstreamError('HTTP 500', { kind: 'status', status: 500 })), 8],
  ])('names a ramp %s as the request does', async (_, quote, requests) => {
    const terms = { ramp: 'primary', name: 'avenia', rail: 'PIX', thirdParty: false, account: undefined } as const;
    const onRamp = quoteRequest({ fiat: { ...terms, payout: undefined } });
    const requestQuote = createRequester();
    const ramp = fakeProvider('primary-swap', quote);
    const messages: string[] = [];
    for (let made = 0; made < requests; made += 1) {
      const result = await requestQuote(ramp, onRamp);
      if (result.outcome === 'failed') messages.push(result.error.message);
    }
    expect(messages).toHaveLength(requests);
    for (const message of messages) expect(message).toMatch(/^Provider avenia is unavailable/);
  });

  it('survives a provider that throws an unexpected error', async () => {
    const broken = fakeProvider('alpha', () => {
      throw new TypeError('secret internals');
    });
    const result = await createRequester()(broken, request);
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'PROVIDER_UNAVAILABLE' } });
    expect(JSON.stringify(result)).not.toContain('secret internals');
  });

  it('calls the provider once for five hundred concurrent identical requests, and again afterwards', async () => {
    let calls = 0;
    const counting = fakeProvider('alpha', async (given) => {
      calls += 1;
      await wait(5);
      return offerFor(given);
    });
    const requestQuote = createRequester();
    const results = await Promise.all(Array.from({ length: 500 }, () => requestQuote(counting, quoteRequest())));
    expect(calls).toBe(1);
    expect(new Set(results).size).toBe(1);
    await requestQuote(counting, request);
    expect(calls).toBe(2);
    await Promise.all([requestQuote(counting, request), requestQuote(counting, quoteRequest({ amount: units(1n) }))]);
    expect(calls).toBe(4);
  });

  it('applies the budget to queued requests, and does not make them afterwards', async () => {
    let calls = 0;
    const guards = createProviderGuards({ concurrency: 1, queue: 10 });
    const requestQuote = createQuoteRequester({ budgetMs: 300, guards, log: silent });
    const stuck = fakeProvider('alpha', () => {
      calls += 1;
      return new Promise(() => undefined);
    });
    const budgets: AbortController[] = [];
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      budgets.push(new AbortController());
      return budgets.at(-1)!.signal;
    });
    const requested = Array.from({ length: 8 }, (_, i) =>
      requestQuote(stuck, quoteRequest({ amount: units(BigInt(i + 1)) })),
    );
    await new Promise(setImmediate);
    timeout.mockRestore();
    expect(budgets).toHaveLength(8); // one after the other they would take eight budgets
    for (const budget of budgets) budget.abort();
    const results = await Promise.all(requested);
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['failed']));
    await wait(50);
    expect(calls).toBe(1);
  });

  it('is cancelled when no caller waits any more, and only then', async () => {
    const signals: AbortSignal[] = [];
    const held = fakeProvider('alpha', (_, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    });
    const requestQuote = createRequester(10_000);
    const [first, second] = [new AbortController(), new AbortController()];
    const results = [requestQuote(held, request, first.signal), requestQuote(held, request, second.signal)];
    first.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    second.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect((await Promise.all(results)).map(({ outcome }) => outcome)).toEqual(['failed', 'failed']);
    void requestQuote(held, request, AbortSignal.timeout(50));
    expect(signals).toHaveLength(2); // a later caller does not join the abandoned request
  });

  it('continues for a caller that stays when another one leaves the shared request', async () => {
    let release = (): void => undefined;
    const held = fakeProvider('alpha', async (given) => {
      await new Promise<void>((resolve) => (release = resolve));
      return offerFor(given);
    });
    const requestQuote = createRequester(10_000);
    const leaving = new AbortController();
    const [gone, stays] = [requestQuote(held, request, leaving.signal), requestQuote(held, request)];
    leaving.abort();
    release();
    expect(await stays).toMatchObject({ outcome: 'quote' });
    await gone;
  });

  it('is still made for the other chains when one chain of the provider is down', async () => {
    const guards = createProviderGuards({ failures: 1 });
    const requestQuote = createQuoteRequester({ budgetMs: 1000, guards, log: silent });
    const elsewhere = { ...request.origin, chainId: request.origin.chainId + 1 };
    const partial = fakeProvider('alpha', (given) =>
      given.origin.chainId === request.origin.chainId
        ? Promise.reject(new UpstreamError('it is unreachable', { kind: 'unreachable' }))
        : Promise.resolve(offerFor(given)),
    );
    for (let i = 0; i < 2; i++) expect(await requestQuote(partial, request)).toMatchObject({ outcome: 'failed' });
    const other = { ...request, origin: elsewhere, destination: elsewhere };
    expect(await requestQuote(partial, other)).toMatchObject({ outcome: 'quote' });
  });

  it('does not count against the provider when it is cancelled', async () => {
    const guards = createProviderGuards({ failures: 1 });
    const requestQuote = createQuoteRequester({ budgetMs: 10_000, guards, log: silent });
    const heeding = fakeProvider('alpha', async (_, signal) => {
      await wait(10_000, undefined, { signal, ref: false }).catch((cause: unknown) => {
        throw serviceError('PROVIDER_UNAVAILABLE', { provider: 'alpha', reason: 'aborted' }, { cause });
      });
      return undefined;
    });
    const leaving = new AbortController();
    const result = requestQuote(heeding, request, leaving.signal);
    leaving.abort();
    await result;
    await wait(5);
    expect(guards.state('alpha')).toBe('closed');
  });

  const exactOut = quoteRequest({ side: 'out' });
  it.each([
    ['sells another amount', request, { amountIn: units(4n) }],
    ['takes more than calls', request, { maxAmountIn: units(5_000_001n) }],
    ['promises less than the slippage allows', request, { minAmountOut: units(4_965_049n) }],
    ['promises more than it expects', request, { minAmountOut: units(4_990_001n) }],
    ['gives nothing', request, { expectedAmountOut: units(0n), minAmountOut: units(0n) }],
    ['knows no price impact', request, { priceImpactBps: Number.NaN }],
    ['gives another amount', exactOut, { minAmountOut: units(4_999_999n) }],
    ['takes more than the slippage allows', exactOut, { maxAmountIn: units(5_014_951n) }],
  ])('discards an offer that %s', async (_, given, changes) => {
    const strange = fakeProvider('alpha', () => Promise.resolve(offerFor(given, changes)));
    expect(await createRequester()(strange, given)).toMatchObject({
      outcome: 'failed',
      error: { code: 'PROVIDER_UNAVAILABLE' },
    });
  });

  it('accepts an exact output amount', async () => {
    expect(await createRequester()(offering('alpha', 4_990_000n), exactOut)).toMatchObject({ outcome: 'quote' });
  });
});

describe('the recorded results of quote requests', () => {
  it('have one result for concurrent identical requests, with its duration, and none for an abandoned request', async () => {
    const results: unknown[] = [];
    const requestQuote = createQuoteRequester({
      budgetMs: 5000,
      log: silent,
      onResult: ({ origin }, { provider, outcome }, seconds) => {
        results.push([origin.slug, provider, outcome, seconds >= 0 && seconds < 5]);
      },
    });
    const offers = offering('alpha', 99n);
    await Promise.all([requestQuote(offers, request), requestQuote(offers, request)]);
    await requestQuote(
      fakeProvider('beta', () => Promise.resolve(undefined)),
      request,
    );
    await requestQuote(
      fakeProvider('gamma', () => Promise.reject(new Error('bug'))),
      request,
    );
    const leaving = new AbortController();
    const left = requestQuote(
      fakeProvider('delta', (_: unknown, signal: AbortSignal) => wait(10_000, undefined, { signal, ref: false })),
      request,
      leaving.signal,
    );
    leaving.abort();
    await left;
    expect(results).toEqual([
      ['devnet', 'alpha', 'quote', true],
      ['devnet', 'beta', 'noRoute', true],
      ['devnet', 'gamma', 'failed', true],
    ]);
  });
});
