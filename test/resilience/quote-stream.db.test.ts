import { revokeApiKey } from '../../src/customers/api-keys';
import { type EventStream, openEventStream } from '../setup/event-stream';
import { fakeProvider, offering, PRICED } from '../swaps/swap-world';
import { heldProvider } from './held-provider';
import { type QuoteGateway, type QuoteGatewayOptions, startQuoteGateway } from './quote-gateway';
import { until } from './until';

const QUERY = `subscription ($chain: ChainName!, $tokenIn: String!, $tokenOut: String!, $amountIn: Amount) {
  swapQuoteStream(originChain: $chain, destinationChain: $chain, tokenIn: $tokenIn, tokenOut: $tokenOut, amountIn: $amountIn) {
    round outstanding provider quote { quoteId deadline expectedAmountOut } reason { code }
  }
}`;

/** Longer than a test. */
const FOREVER_MS = 600_000;

let gateway: QuoteGateway;
let isStopped = false;
const serve = async (options: QuoteGatewayOptions): Promise<void> => {
  isStopped = false;
  gateway = await startQuoteGateway(options);
};
const open = (by = gateway.one, changes: object = {}): Promise<EventStream> => {
  const { originChain: chain, tokenIn, tokenOut, amountIn } = PRICED;
  const headers: Record<string, string> = by.apiKey === '' ? {} : { 'x-api-key': by.apiKey };
  return openEventStream({
    url: `${gateway.url}/graphql`,
    query: QUERY,
    headers,
    variables: { chain, tokenIn, tokenOut, amountIn, ...changes },
  });
};
const next = async (stream: EventStream) => (await stream.next())?.data?.data?.swapQuoteStream;
afterEach(async () => {
  if (!isStopped) await gateway.stop();
});

describe('swapQuoteStream', () => {
  it('yields the response of each provider as it arrives, and stores every quote for its customer', async () => {
    const slow = heldProvider('slow', 8n);
    const none = fakeProvider('none', () => Promise.resolve(undefined));
    await serve({ providers: [slow.provider, offering('fast', 7n), none], budgetMs: FOREVER_MS });
    const stream = await open();
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(await next(stream)).toMatchObject({ round: 1, outstanding: 2, provider: 'fast', reason: null });
    expect(await next(stream)).toEqual({
      round: 1,
      outstanding: 1,
      provider: 'none',
      quote: null,
      reason: { code: 'NO_ROUTE_FOUND' },
    });
    slow.release();
    const last = await next(stream);
    expect(last).toMatchObject({ round: 1, outstanding: 0, provider: 'slow', quote: { expectedAmountOut: '8' } });
    const rows = await gateway.database.quote.findMany({ select: { customerId: true, provider: true } });
    expect(rows.map(({ provider }) => provider).sort()).toEqual(['fast', 'slow']);
    expect(rows.every(({ customerId }) => customerId === gateway.one.id)).toBe(true);
    stream.close();
  });

  it('is a single error when the arguments are invalid or the key is missing', async () => {
    await serve({ providers: [offering('alpha', 7n)] });
    const codes = async (stream: EventStream) =>
      (await stream.rest()).map(({ event, data }) => [event, data?.errors[0].extensions.code]);
    const wrong = await open(gateway.one, { tokenIn: '0x0000000000000000000000000000000000000001' });
    expect(await codes(wrong)).toEqual([
      ['next', 'VALIDATION_ERROR'],
      ['complete', undefined],
    ]);
    expect(await codes(await open({ ...gateway.one, apiKey: '' }))).toEqual([
      ['next', 'AUTHENTICATION_REQUIRED'],
      ['complete', undefined],
    ]);
    const refused = await open({ ...gateway.one, apiKey: 'sk_live_wrong' });
    expect([refused.status, JSON.parse(await refused.text()).errors[0].extensions.code]).toEqual([
      401,
      'INVALID_API_KEY',
    ]);
  });

  it('requests new quotes at the cost of one request of the rate limit each, and ends when the limit is reached', async () => {
    await serve({ providers: [offering('alpha', 7n)], lifetimeSeconds: 1, rateLimitPerMinute: 3 });
    const events = await (await open()).rest();
    const results = events.filter(({ event }) => event === 'next').map(({ data }) => data);
    expect(results.map(({ data }) => data?.swapQuoteStream?.round)).toEqual([1, 2, 3, undefined]);
    expect(results[3].errors[0].extensions).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      details: { retryAfter: expect.any(Number) },
    });
    expect(events.at(-1)?.event).toBe('complete');
    expect((await gateway.quote()).status).toBe(429);
    expect((await gateway.quote({}, gateway.other)).status).toBe(200);
  });

  it('aborts its requests as soon as the client disconnects', async () => {
    const held = heldProvider('held', 7n);
    await serve({ providers: [held.provider], lifetimeSeconds: 1, budgetMs: FOREVER_MS });
    const leaving = await open();
    await until('it is requested', () => held.waiting() === 1);
    leaving.close();
    await until('the request is aborted', () => held.waiting() === 0);
    expect(held.requests[0]?.signal.aborted).toBe(true);

    const staying = await open();
    await until('it is requested again', () => held.waiting() === 1);
    held.release();
    expect(await next(staying)).toMatchObject({ round: 1, quote: { expectedAmountOut: '7' } });
    await until('the second round begins', () => held.waiting() === 1);
    staying.close();
    await until('the request is aborted', () => held.waiting() === 0);
    await new Promise((resolve) => setTimeout(resolve, 1500)); // longer than a round
    expect(held.requests).toHaveLength(3);
  });

  it('ends within seconds when its key is revoked', async () => {
    await serve({ providers: [offering('alpha', 7n)], lifetimeSeconds: 1 });
    const stream = await open();
    expect(await next(stream)).toMatchObject({ round: 1 });
    await revokeApiKey(gateway.database, { customerId: gateway.one.id, keyId: gateway.one.keyId });
    const roundsBefore = gateway.arrived();
    const rest = await stream.rest();
    expect(rest.at(-2)?.data.errors[0].extensions.code).toBe('INVALID_API_KEY');
    expect(rest.at(-1)?.event).toBe('complete');
    // Revocations take effect within five seconds, in which at most seven rounds begin.
    expect(gateway.arrived() - roundsBefore).toBeLessThan(9);
  });

  it('completes when the service shuts down', async () => {
    await serve({ providers: [offering('alpha', 7n)] });
    const stream = await open();
    expect(await next(stream)).toMatchObject({ round: 1 });
    const rest = stream.rest();
    await gateway.stop();
    isStopped = true;
    expect((await rest).map(({ event }) => event)).toEqual(['complete']);
  });

  it('has a limit for each customer, and accepts another stream when one is closed', async () => {
    const held = heldProvider('held', 7n);
    await serve({ providers: [held.provider], budgetMs: FOREVER_MS });
    const streams = await Promise.all(Array.from({ length: 50 }, () => open()));
    await until('all have started', () => gateway.arrived() === 50);
    expect(held.requests).toHaveLength(1); // they share the request
    const refusal = async () => (await (await open()).next())?.data.errors?.[0].extensions.code;
    expect(await refusal()).toBe('RATE_LIMIT_EXCEEDED');
    streams[0]!.close();
    const another = await untilOpened();
    held.release();
    expect(await next(another)).toMatchObject({ round: 1 });
    expect(await next(streams[1]!)).toMatchObject({ round: 1 });
    for (const stream of [...streams, another]) stream.close();
  });

  /** Opens a stream, repeatedly until the slot of a closed one is free. */
  async function untilOpened(): Promise<EventStream> {
    const arrived = gateway.arrived();
    let opened: EventStream | undefined;
    await until('a slot is free', async () => {
      opened = await open();
      await new Promise((resolve) => setTimeout(resolve, 50));
      return gateway.arrived() > arrived;
    });
    return opened!;
  }
});
