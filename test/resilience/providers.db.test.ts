import { setTimeout as wait } from 'node:timers/promises';
import { serviceError } from '../../src/errors/service-error';
import { providerUnavailable, UpstreamError } from '../../src/http/upstream-error';
import { BOTH, fakeProvider, offerFor, offering } from '../swaps/swap-world';
import { heldProvider } from './held-provider';
import { type QuoteGateway, type QuoteGatewayOptions, startQuoteGateway } from './quote-gateway';
import { until } from './until';

let gateway: QuoteGateway;
const serve = async (options: QuoteGatewayOptions): Promise<QuoteGateway> =>
  (gateway = await startQuoteGateway(options));
afterEach(() => gateway.stop());

const amount = (number: number) => ({ amountIn: String(5_000_000 + number) });
const statesOf = async (): Promise<Readonly<Record<string, string>>> =>
  (await gateway.get('/health')).body.checks.providers;

/** Fails as often as it is told to, in the way that it is told. */
function failingProvider(id: string, failure: () => Promise<undefined>) {
  const state = { asked: 0, broken: true };
  const provider = fakeProvider(id, (request) => {
    state.asked += 1;
    return state.broken ? failure() : Promise.resolve(offerFor(request, { provider: id, priced: 9n }));
  });
  return { state, provider };
}
const down = () => Promise.reject(serviceError('PROVIDER_UNAVAILABLE', { provider: 'broken', reason: 'it is down' }));

describe('a slow provider', () => {
  it('costs a request its budget at most, and the quote of the others is given', async () => {
    const slow = heldProvider('slow', 9n);
    await serve({ providers: [slow.provider, offering('fast', 7n)], budgetMs: 400 });
    const started = performance.now();
    const { status, body } = await gateway.quote();
    expect([status, body.quote.provider]).toEqual([200, 'fast']);
    expect(performance.now() - started).toBeGreaterThanOrEqual(395);
    expect(performance.now() - started).toBeLessThan(4000);
    expect(slow.asked[0]?.signal.aborted).toBe(true);
  });

  it('is told of as unavailable when it was the only one', async () => {
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

  it('holds up so many requests and no more: the others do without it at once', async () => {
    const slow = heldProvider('slow', 9n);
    const guards = { concurrency: 2, queue: 1 };
    await serve({ providers: [slow.provider, offering('fast', 7n)], budgetMs: 60_000, guards });
    const held = [1, 2, 3].map((number) => gateway.quote(amount(number)));
    await until('three requests wait for it', () => gateway.arrived() === 3);
    expect(slow.waiting()).toBe(2);
    // Answered while the three still wait.
    const others = await Promise.all([4, 5, 6, 7].map((number) => gateway.quote(amount(number))));
    expect(others.map(({ status, body }) => [status, body.quote.provider])).toEqual(Array(4).fill([200, 'fast']));
    expect(slow.asked).toHaveLength(2);
    slow.release();
    await until('the third has its turn', () => slow.waiting() === 1);
    slow.release();
    expect((await Promise.all(held)).map(({ body }) => body.quote.provider)).toEqual(['slow', 'slow', 'slow']);
  });

  it('does not make those wait for several budgets who wait for their turn', async () => {
    const slow = heldProvider('slow', 9n);
    await serve({ providers: [slow.provider], budgetMs: 800, guards: { concurrency: 1, queue: 50, failures: 1000 } });
    const started = performance.now();
    const answers = await Promise.all(Array.from({ length: 10 }, (_, number) => gateway.quote(amount(number))));
    expect(new Set(answers.map(({ body }) => body.error.code))).toEqual(new Set(['QUOTE_GENERATION_FAILED']));
    expect(performance.now() - started).toBeLessThan(5000); // in turn they would take eight seconds
    expect(slow.asked).toHaveLength(1);
  });
});

describe('a broken provider', () => {
  it('is asked five times and then left alone; health says that it rests, and later that it is back', async () => {
    const { state, provider } = failingProvider('broken', down);
    await serve({ providers: [provider, offering('sound', 7n)], guards: { restMs: 2500 } });
    expect(await statesOf()).toEqual({ broken: 'registered', sound: 'registered' });
    for (let i = 0; i < 8; i++) expect((await gateway.quote(amount(i))).body.quote.provider).toBe('sound');
    expect(state.asked).toBe(5);
    await until('health says that it rests', async () => (await statesOf())['broken'] === 'resting');
    state.broken = false;
    await until('it is tried again', async () => (await gateway.quote()).body.quote.provider === 'broken');
    await until('health says that it is back', async () => (await statesOf())['broken'] === 'registered');
    expect((await statesOf())['sound']).toBe('registered');
  });

  it('that breaks off in ways that it must not harms nobody, and tells nothing of its insides', async () => {
    const { provider } = failingProvider('broken', () => Promise.reject(new TypeError('a secret of ours')));
    const liar = fakeProvider('liar', (request) => Promise.resolve(offerFor(request, { amountIn: 1n as never })));
    await serve({ providers: [provider, liar] });
    const { status, body } = await gateway.quote();
    expect([status, body.error.code]).toEqual([400, 'QUOTE_GENERATION_FAILED']);
    expect(JSON.stringify(body)).not.toContain('a secret of ours');
  });

  it('that says when it may be asked again is not asked before, by anybody', async () => {
    const busy = new UpstreamError('it answered 429', { kind: 'status', status: 429, retryAfterSeconds: 2 });
    const { state, provider } = failingProvider('busy', () => Promise.reject(providerUnavailable('busy', busy)));
    await serve({ providers: [provider, offering('sound', 7n)] });
    const saidAt = performance.now();
    expect((await gateway.quote()).body.quote.provider).toBe('sound');
    state.broken = false;
    expect(await statesOf()).toEqual({ busy: 'resting', sound: 'registered' });
    await until(
      'it is asked again',
      async () => (await gateway.quote({}, gateway.other)).body.quote.provider === 'busy',
    );
    expect(performance.now() - saidAt).toBeGreaterThanOrEqual(2000);
    expect(state.asked).toBe(2);
  });
});

describe('the same question asked by many at once', () => {
  it('five hundred times is one question to the provider, and five hundred quotes', async () => {
    const held = heldProvider('alpha', 7n);
    await serve({ providers: [held.provider], budgetMs: 60_000 });
    const asking = Array.from({ length: 500 }, () => gateway.quote());
    await until('all have come', () => gateway.arrived() === 500);
    expect(held.asked).toHaveLength(1);
    held.release();
    const answers = await Promise.all(asking);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const ids = answers.map(({ body }) => body.quote.quoteId as string);
    expect(new Set(ids).size).toBe(500);
    expect(await gateway.database.quote.count({ where: { id: { in: ids } } })).toBe(500);
    expect(held.asked).toHaveLength(1);
  });

  it('by two customers gives each a quote of its own, that the other cannot see', async () => {
    const held = heldProvider('alpha', 7n);
    await serve({ providers: [held.provider], budgetMs: 60_000 });
    const { one, other } = gateway;
    const asking = [gateway.quote({}, one), gateway.quote({}, other)];
    await until('both have come', () => gateway.arrived() === 2);
    held.release();
    const ids = (await Promise.all(asking)).map(({ body }) => body.quote.quoteId as string);
    expect(held.asked).toHaveLength(1);
    const rows = await gateway.database.quote.findMany({ select: { id: true, customerId: true } });
    expect(rows.sort((a, b) => a.id.localeCompare(b.id))).toEqual(
      [
        { id: ids[0], customerId: one.id },
        { id: ids[1], customerId: other.id },
      ].sort((a, b) => a.id!.localeCompare(b.id!)),
    );
    const status = await gateway.get(`/v2/swap/status/${ids[0]!}`, other);
    expect([status.status, status.body.error.code]).toEqual([404, 'QUOTE_NOT_FOUND']);
  });

  it('is not the same once it names addresses, another amount or another slippage', async () => {
    const held = heldProvider('alpha', 7n);
    await serve({ providers: [held.provider], budgetMs: 60_000 });
    const { originAddress } = BOTH;
    const changes = [{}, {}, { originAddress }, amount(1), { slippage: '0.01' }, { slippage: '0.005' }];
    const asking = changes.map((change) => gateway.quote(change));
    await until('all have come', () => gateway.arrived() === changes.length);
    expect(held.asked).toHaveLength(4);
    held.release();
    expect((await Promise.all(asking)).map(({ status }) => status)).toEqual(Array(changes.length).fill(200));
  });
});
