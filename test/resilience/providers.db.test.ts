import { setTimeout as wait } from 'node:timers/promises';
import { serviceError } from '../../src/errors/service-error';
import { providerUnavailable, UpstreamError } from '../../src/http/upstream-error';
import type { QuoteProvider } from '../../src/venues/quote-provider';
import { BOTH, fakeProvider, offerFor, offering } from '../swaps/swap-world';
import { type HeldClocks, holdClocks } from './held-clocks';
import { type HeldProvider, heldProvider } from './held-provider';
import { type QuoteGateway, type QuoteGatewayOptions, startQuoteGateway } from './quote-gateway';
import { until } from './until';

/** Longer than a test. */
const FOREVER_MS = 600_000;
/** How long a broken provider is not requested. */
const PAUSE_MS = 60_000;
/** Maximum age of a health report. */
const MAX_REPORT_AGE_MS = 5000;

let gateway: QuoteGateway;
const serve = async (options: QuoteGatewayOptions): Promise<QuoteGateway> =>
  (gateway = await startQuoteGateway(options));

const amount = (number: number) => ({ amountIn: String(5_000_000 + number) });
const statesOf = async (): Promise<Readonly<Record<string, string>>> =>
  (await gateway.get('/health')).body.checks.providers;

/** Fails with the given failure while its state is `broken`. */
function failingProvider(id: string, failure: () => Promise<undefined>) {
  const state = { requests: 0, broken: true };
  const provider = fakeProvider(id, (request) => {
    state.requests += 1;
    return state.broken ? failure() : Promise.resolve(offerFor(request, { provider: id, priced: 9n }));
  });
  return { state, provider };
}
/** Resolves for all who wait, once `count` of them do. */
function meeting(count: number): () => Promise<void> {
  let waiting = 0;
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  return () => {
    waiting += 1;
    if (waiting === count) begin();
    return begun;
  };
}
const down = () => Promise.reject(serviceError('PROVIDER_UNAVAILABLE', { provider: 'broken', reason: 'it is down' }));

describe('a slow provider', () => {
  afterEach(() => gateway.stop());

  it('delays a request by its budget at most, and another quote is returned', async () => {
    const slow = heldProvider('slow', 9n);
    await serve({ providers: [slow.provider, offering('fast', 7n)], budgetMs: 400 });
    const started = performance.now();
    const { status, body } = await gateway.quote();
    expect([status, body.quote.provider]).toEqual([200, 'fast']);
    expect(performance.now() - started).toBeGreaterThanOrEqual(395);
    expect(slow.requests[0]?.signal.aborted).toBe(true);
  });

  it('is reported as unavailable when it was the only one', async () => {
    const ignoresItsSignal = fakeProvider('deaf', () => wait(60_000, undefined, { ref: false }));
    await serve({ providers: [ignoresItsSignal], budgetMs: 200 });
    const any = await gateway.quote();
    expect([any.status, any.body.error.code]).toEqual([400, 'QUOTE_GENERATION_FAILED']);
    expect(any.body.error.details.providers).toEqual([
      { provider: 'deaf', code: 'PROVIDER_UNAVAILABLE', message: expect.stringContaining('in time') },
    ]);
    const pinned = await gateway.quote({ preferredProvider: 'deaf' });
    expect([pinned.status, pinned.body.error.code]).toEqual([400, 'PREFERRED_PROVIDER_QUOTE_UNAVAILABLE']);
  });

  it('delays a limited number of requests: the others are quoted without it at once', async () => {
    const slow = heldProvider('slow', 9n);
    const guards = { concurrency: 2, queue: 1 };
    await serve({ providers: [slow.provider, offering('fast', 7n)], budgetMs: FOREVER_MS, guards });
    const held = [1, 2, 3].map((number) => gateway.quote(amount(number)));
    await until('three requests wait for it', () => gateway.arrived() === 3);
    expect(slow.waiting()).toBe(2);
    // They are quoted while the three still wait.
    const others = await Promise.all([4, 5, 6, 7].map((number) => gateway.quote(amount(number))));
    expect(others.map(({ status, body }) => [status, body.quote.provider])).toEqual(Array(4).fill([200, 'fast']));
    expect(slow.requests).toHaveLength(2);
    slow.release();
    await until('the third request is sent', () => slow.waiting() === 1);
    slow.release();
    expect((await Promise.all(held)).map(({ body }) => body.quote.provider)).toEqual(['slow', 'slow', 'slow']);
  });

  it('does not delay queued requests by several budgets', async () => {
    const slow = heldProvider('slow', 9n);
    const guards = { concurrency: 1, queue: 50, failures: 1000 };
    // The budgets of all ten begin at the same time: when the last of them has arrived.
    const beforeQuotes = meeting(10);
    await serve({ providers: [slow.provider], budgetMs: 800, guards, beforeQuotes });
    const responses = await Promise.all(Array.from({ length: 10 }, (_, number) => gateway.quote(amount(number))));
    expect(new Set(responses.map(({ body }) => body.error.code))).toEqual(new Set(['QUOTE_GENERATION_FAILED']));
    expect(slow.requests).toHaveLength(1); // the others got no budget of their own after it
  });
});

describe('a broken provider', () => {
  let clocks: HeldClocks | undefined;
  afterEach(async () => {
    clocks?.release();
    clocks = undefined;
    await gateway.stop();
  });
  /** Their states in a health report that is not older than this call. */
  const newStatesOf = (): ReturnType<typeof statesOf> => {
    clocks?.advance(MAX_REPORT_AGE_MS + 1);
    return statesOf();
  };

  it('receives five requests and then none during its cooldown; health shows the cooldown and the recovery', async () => {
    const { state, provider } = failingProvider('broken', down);
    await serve({ providers: [provider, offering('sound', 7n)], guards: { cooldownMs: PAUSE_MS } });
    clocks = holdClocks();
    expect(await statesOf()).toEqual({ broken: 'registered', sound: 'registered' });
    for (let i = 0; i < 8; i++) expect((await gateway.quote(amount(i))).body.quote.provider).toBe('sound');
    expect(state.requests).toBe(5);
    expect(await newStatesOf()).toEqual({ broken: 'cooling down', sound: 'registered' });
    state.broken = false;
    clocks.advance(PAUSE_MS - MAX_REPORT_AGE_MS - 2);
    expect((await gateway.quote()).body.quote.provider).toBe('sound');
    expect(state.requests).toBe(5);
    clocks.advance(1);
    expect((await gateway.quote()).body.quote.provider).toBe('broken');
    expect(await newStatesOf()).toEqual({ broken: 'registered', sound: 'registered' });
  });

  it('that fails in unexpected ways affects no other provider, and exposes no internals', async () => {
    const { provider } = failingProvider('broken', () => Promise.reject(new TypeError('an internal secret')));
    const liar = fakeProvider('liar', (request) => Promise.resolve(offerFor(request, { amountIn: 1n as never })));
    await serve({ providers: [provider, liar] });
    const { status, body } = await gateway.quote();
    expect([status, body.error.code]).toEqual([400, 'QUOTE_GENERATION_FAILED']);
    expect(JSON.stringify(body)).not.toContain('an internal secret');
  });

  it('that sets a retry time receives no request before it, from any customer', async () => {
    const retryAfterSeconds = PAUSE_MS / 1000;
    const busy = new UpstreamError('it responded with 429', { kind: 'status', status: 429, retryAfterSeconds });
    const { state, provider } = failingProvider('busy', () => Promise.reject(providerUnavailable('busy', busy)));
    await serve({ providers: [provider, offering('sound', 7n)] });
    clocks = holdClocks();
    expect((await gateway.quote()).body.quote.provider).toBe('sound');
    state.broken = false;
    expect(await newStatesOf()).toEqual({ busy: 'cooling down', sound: 'registered' });
    clocks.advance(PAUSE_MS - MAX_REPORT_AGE_MS - 2);
    expect((await gateway.quote({}, gateway.other)).body.quote.provider).toBe('sound');
    expect(state.requests).toBe(1);
    clocks.advance(1);
    expect((await gateway.quote({}, gateway.other)).body.quote.provider).toBe('busy');
    expect(state.requests).toBe(2);
  });
});

describe('the same request from many callers at once', () => {
  const providers: QuoteProvider[] = [];
  let held: HeldProvider;
  let arrivedBefore: number;
  const arrived = (): number => gateway.arrived() - arrivedBefore;
  beforeAll(() => serve({ providers, budgetMs: FOREVER_MS }));
  afterAll(() => gateway.stop());
  beforeEach(() => {
    held = heldProvider('alpha', 7n);
    providers.splice(0, 1, held.provider);
    arrivedBefore = gateway.arrived();
  });

  it('a hundred times is one request to the provider, and a hundred quotes', async () => {
    const quoting = Array.from({ length: 100 }, () => gateway.quote());
    await until('all have arrived', () => arrived() === 100);
    expect(held.requests).toHaveLength(1);
    held.release();
    const responses = await Promise.all(quoting);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const ids = responses.map(({ body }) => body.quote.quoteId as string);
    expect(new Set(ids).size).toBe(100);
    expect(await gateway.database.quote.count({ where: { id: { in: ids } } })).toBe(100);
    expect(held.requests).toHaveLength(1);
  });

  it('by two customers gives each a quote of its own that the other cannot read', async () => {
    const { one, other } = gateway;
    const stored = await gateway.database.quote.count();
    const quoting = [gateway.quote({}, one), gateway.quote({}, other)];
    await until('both have arrived', () => arrived() === 2);
    held.release();
    const ids = (await Promise.all(quoting)).map(({ body }) => body.quote.quoteId as string);
    expect(held.requests).toHaveLength(1);
    expect(await gateway.database.quote.count()).toBe(stored + 2);
    const where = { id: { in: ids } };
    const rows = await gateway.database.quote.findMany({ where, select: { id: true, customerId: true } });
    expect(rows.sort((a, b) => a.id.localeCompare(b.id))).toEqual(
      [
        { id: ids[0], customerId: one.id },
        { id: ids[1], customerId: other.id },
      ].sort((a, b) => a.id!.localeCompare(b.id!)),
    );
    const status = await gateway.get(`/v2/swap/status/${ids[0]!}`, other);
    expect([status.status, status.body.error.code]).toEqual([404, 'QUOTE_NOT_FOUND']);
  });

  it('is sent separately with addresses, another amount or another slippage', async () => {
    const { originAddress } = BOTH;
    const changes = [{}, {}, { originAddress }, amount(1), { slippage: '0.01' }, { slippage: '0.005' }];
    const quoting = changes.map((change) => gateway.quote(change));
    await until('all have arrived', () => arrived() === changes.length);
    expect(held.requests).toHaveLength(4);
    held.release();
    expect((await Promise.all(quoting)).map(({ status }) => status)).toEqual(Array(changes.length).fill(200));
  });
});
