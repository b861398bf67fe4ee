import { setTimeout as wait } from 'node:timers/promises';
import {
  BOTH,
  CUSTOMER,
  fakeProvider,
  offerFor,
  offering,
  PRICED,
  quoteDeps,
  rejection,
  silent,
} from '../../test/swaps/swap-world';
import { serviceError } from '../errors/service-error';
import { createQuoteRequester } from '../venues/request-provider-quote';
import type { QuoteProvider } from '../venues/quote-provider';
import {
  createStreamSlots,
  type StreamDeps,
  type StreamedQuote,
  type StreamParameters,
  streamQuotes,
} from './stream-quotes';

const LIFETIME_SECONDS = 0.5;

function world(providers: readonly QuoteProvider[], changes: Partial<StreamDeps> = {}) {
  const stored: { id: string; customerId: string }[] = [];
  const savePrices: StreamDeps['savePrices'] = (quotes) => {
    stored.push(...quotes.map(({ customerId, swap: { quoteId } }) => ({ id: quoteId, customerId })));
    return Promise.resolve();
  };
  const deps: StreamDeps = {
    ...quoteDeps({
      providers,
      quoteLifetimeSeconds: LIFETIME_SECONDS,
      requestProviderQuote: createQuoteRequester({ budgetMs: 120_000, log: silent }),
      quoteDeadline: (seconds) => Promise.resolve(new Date(Date.now() + seconds * 1000)),
    }),
    savePrices,
    slots: createStreamSlots(),
    findLimit: () => Promise.resolve(50),
    ...changes,
  };
  const controller = new AbortController();
  const open = (given: Partial<StreamParameters> = {}) =>
    streamQuotes(deps, {
      customerId: CUSTOMER,
      fields: PRICED,
      countRoundRequest: () => Promise.resolve(),
      signal: controller.signal,
      ...given,
    });
  return { stored, open, stop: () => controller.abort() };
}

/** Collects the events of a stream, up to a count or its end. */
async function take(stream: AsyncGenerator<StreamedQuote>, count: number): Promise<readonly StreamedQuote[]> {
  const events: StreamedQuote[] = [];
  while (events.length < count) {
    const next = await stream.next();
    if (next.done === true) break;
    events.push(next.value);
  }
  return events;
}

const brief = ({ round, outstanding, provider, quote, reason }: StreamedQuote) =>
  `${round} ${outstanding} ${provider} ${quote?.expectedAmountOut ?? reason?.code ?? 'nothing'}`;

/** A provider that responds when the test releases it. */
function heldProvider(id: string) {
  const calls: AbortSignal[] = [];
  const releases: (() => void)[] = [];
  const provider = fakeProvider(id, (request, signal) => {
    calls.push(signal);
    return new Promise((resolve) => releases.push(() => resolve(offerFor(request, { provider: id }))));
  });
  const release = (): void => releases.splice(0).forEach((resolve) => resolve());
  return { provider, calls, release };
}

describe('a quote stream', () => {
  it('yields the result of each provider as it arrives, with the number of outstanding ones', async () => {
    const slow = heldProvider('slow');
    const broken = fakeProvider('broken', () => Promise.reject(serviceError('AMOUNT_IN_TOO_LOW', { minimum: '9' })));
    const none = fakeProvider('none', () => Promise.resolve(undefined));
    const { open, stored, stop } = world([slow.provider, offering('fast', 7n), broken, none]);
    const stream = await open();
    const early = await take(stream, 3);
    expect(early.map(brief)).toEqual(['1 3 fast 7', '1 2 broken AMOUNT_IN_TOO_LOW', '1 1 none NO_ROUTE_FOUND']);
    slow.release();
    expect((await take(stream, 1)).map(brief)).toEqual(['1 0 slow 4990000']);
    expect(stored.map(({ id }) => id)).toEqual([early[0]?.quote?.quoteId, expect.any(String)]);
    expect(stored.every(({ customerId }) => customerId === CUSTOMER)).toBe(true);
    stop();
  });

  it('does not delay a quote for prices that are slower than the provider', async () => {
    let calls = 0;
    const counting = fakeProvider('alpha', (request) => {
      calls += 1;
      return Promise.resolve(offerFor(request));
    });
    const prices = { priceUsd: () => new Promise<never>(() => undefined) };
    const { open, stop } = world([counting], { prices });
    const stream = await open();
    const first = stream.next();
    await wait(20);
    expect(calls).toBe(1); // the prices are still outstanding
    expect((await first).value).toMatchObject({ quote: { tokenIn: { priceInUSD: undefined } } });
    stop();
  });

  it('requests new quotes from every provider before those of the previous round expire', async () => {
    const delays: number[] = [];
    const releases: (() => void)[] = [];
    const waitForRound = (ms: number) => {
      delays.push(ms);
      return new Promise<void>((resolve) => releases.push(resolve));
    };
    const { open, stored, stop } = world([offering('alpha', 7n), offering('beta', 8n)], { waitForRound });
    const stream = await open();
    expect((await take(stream, 2)).map(({ round }) => round)).toEqual([1, 1]);
    const next = take(stream, 2);
    await wait(10);
    expect([delays, stored.length]).toEqual([[LIFETIME_SECONDS * 1000 * 0.8], 2]);
    releases[0]!();
    expect((await next).map(({ round }) => round)).toEqual([2, 2]);
    releases[1]!();
    expect((await take(stream, 2)).map(({ round }) => round)).toEqual([3, 3]);
    expect(new Set(stored.map(({ id }) => id)).size).toBe(6);
    expect(new Set(delays)).toEqual(new Set([LIFETIME_SECONDS * 1000 * 0.8]));
    stop();
  });

  it('quotes for the given addresses without building a transaction', async () => {
    let built = 0;
    const seen: unknown[] = [];
    const alpha = fakeProvider(
      'alpha',
      (request) => {
        seen.push([request.originAddress, request.destinationAddress]);
        return Promise.resolve(offerFor(request));
      },
      {
        build: () => {
          built += 1;
          return Promise.reject(new TypeError('built'));
        },
      },
    );
    const { open, stop } = world([alpha]);
    const [event] = await take(await open({ fields: { ...PRICED, ...BOTH } }), 1);
    expect(event?.quote?.simulation).toBeUndefined();
    expect(seen).toEqual([[BOTH.originAddress, BOTH.destinationAddress]]);
    expect(built).toBe(0);
    stop();
  });

  it('rejects invalid input before it begins, and releases its slot', async () => {
    const slots = createStreamSlots({ perCustomer: 1 });
    const { open, stop } = world([offering('alpha', 7n)], { slots, findLimit: () => Promise.resolve(1) });
    expect(await rejection(open({ fields: { ...PRICED, amountIn: 'x' } }))).toMatchObject({ code: 'VALIDATION_ERROR' });
    const stream = await open();
    expect(await rejection(open())).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      details: { limit: 'quoteStreams', maximum: 1 },
    });
    expect((await take(stream, 1)).map(brief)).toEqual(['1 0 alpha 7']);
    stop();
  });

  it('counts every round after the first as a request, and ends when one exceeds the rate limit', async () => {
    let paid = 0;
    const countRoundRequest = (): Promise<void> => {
      paid += 1;
      if (paid < 2) return Promise.resolve();
      return Promise.reject(serviceError('RATE_LIMIT_EXCEEDED', { bound: '2 requests per minute', retryAfter: 9 }));
    };
    const slots = createStreamSlots({ perCustomer: 1 });
    const { open } = world([offering('alpha', 7n)], { slots, findLimit: () => Promise.resolve(1) });
    const stream = await open({ countRoundRequest });
    expect((await take(stream, 2)).map(({ round }) => round)).toEqual([1, 2]);
    expect(await rejection(stream.next())).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    slots.take(CUSTOMER); // the slot is free again
  });
});

describe('when the client closes a quote stream', () => {
  it('the requests of the round are cancelled and no further one is made', async () => {
    const held = heldProvider('held');
    const { open, stop } = world([held.provider]);
    const stream = await open();
    const next = stream.next();
    await wait(10);
    expect(held.calls).toHaveLength(1);
    stop();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(held.calls[0]?.aborted).toBe(true);
    await wait(LIFETIME_SECONDS * 1000 * 1.2);
    expect(held.calls).toHaveLength(1);
  });

  it('it ends immediately between two rounds', async () => {
    const held = heldProvider('held');
    const { open, stop } = world([held.provider]);
    const stream = await open();
    const first = stream.next();
    await wait(5);
    held.release();
    await first;
    const next = stream.next();
    stop();
    expect(await next).toEqual({ done: true, value: undefined });
    await wait(LIFETIME_SECONDS * 1000 * 1.2);
    expect(held.calls).toHaveLength(1);
  });

  it.each(['before it has begun', 'before it reads a result'])(
    '%s, its slot is released and no provider was called',
    async (when) => {
      const slots = createStreamSlots({ perCustomer: 1 });
      const held = heldProvider('held');
      const { open, stop } = world([held.provider], { slots, findLimit: () => Promise.resolve(1) });
      if (when === 'before it has begun') stop();
      await open();
      stop();
      slots.take(CUSTOMER);
      expect(held.calls).toHaveLength(0);
    },
  );
});
