import { buildSchema } from 'graphql';
import { pino } from 'pino';
import type { RequestContext } from '../../../src/auth/request-context';
import type { CustomerId, Principal } from '../../../src/auth/principal';
import { createHttpExchange } from './http-exchange';
import { signInternalRequest } from './internal-request';
import { serveSubgraph, type SubgraphServer } from './serve-subgraph';
import { httpTransport } from './subgraph-transport';

/** Longer than any test, so that no call to a subgraph times out. */
const FOREVER_MS = 600_000;
const internalSecret = 'e'.repeat(64);
const principal: Principal = { kind: 'apiKey', customerId: 'c1' as CustomerId, keyId: 'k' };
const contexts: RequestContext[] = [];
let server: SubgraphServer;

beforeAll(async () => {
  const schema = buildSchema('type Query { who(x: Int): String never: String } type Subscription { tick: Int }');
  Object.assign(schema.getQueryType()!.getFields()['who']!, {
    resolve: (_: unknown, __: unknown, context: RequestContext) => {
      contexts.push(context);
      return context.principal?.customerId;
    },
  });
  Object.assign(schema.getQueryType()!.getFields()['never']!, {
    resolve: (_: unknown, __: unknown, context: RequestContext) => {
      contexts.push(context);
      return new Promise(() => undefined);
    },
  });
  Object.assign(schema.getSubscriptionType()!.getFields()['tick']!, {
    subscribe: async function* () {
      yield await Promise.resolve({ tick: 1 });
    },
  });
  server = await serveSubgraph({ schema, internalSecret, host: '127.0.0.1', port: 0, log: pino({ level: 'silent' }) });
});
afterAll(() => server.close());

interface Sending {
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

function send(body: string, { headers = {}, signal }: Sending = {}): Promise<Response> {
  const signed = signInternalRequest({ internalSecret }, { requestId: 'r1', principal }, body);
  return fetch(server.url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...signed, ...headers },
    signal: signal ?? null,
  });
}

const query = (text: string, variables?: object): string => JSON.stringify({ query: text, variables });

describe('a subgraph in its own process', () => {
  it('serves the gateway, for the principal in the request', async () => {
    const response = await send(query('query($x: Int) { who(x: $x) }', { x: 1 }));
    expect(await response.json()).toEqual({ data: { who: 'c1' } });
    expect(contexts.at(-1)).toMatchObject({ requestId: 'r1', principal });
  });

  it('refuses requests without a valid signature', async () => {
    for (const headers of [{ 'x-afluente-signature': '0'.repeat(64) }, { 'x-afluente-timestamp': '1' }]) {
      const response = await send(query('{ who }'), { headers });
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({
        error: { code: 'AUTHENTICATION_REQUIRED', message: 'Authentication is required: not signed' },
      });
    }
    const unsigned = await fetch(server.url, {
      method: 'POST',
      body: query('{ who }'),
      headers: { 'content-type': 'text/plain' },
    });
    expect(unsigned.status).toBe(401);
  });

  it('is seen as down, refusing or available by the gateway, which learns why', async () => {
    const stateWith = async (url: string, secret: string) => {
      const transport = httpTransport(url, { timeoutMs: FOREVER_MS, internalSecret: secret });
      const state = await transport.state?.();
      await transport.close?.();
      return state;
    };
    expect(await stateWith(server.url, internalSecret)).toBe('ok');
    expect(await stateWith(server.url, 'f'.repeat(64))).toBe('refused');
    expect(await stateWith('http://127.0.0.1:9/graphql', internalSecret)).toBe('down');
    const exchange = createHttpExchange(server.url, { timeoutMs: FOREVER_MS });
    const body = query('{ who }');
    const late = { internalSecret, now: () => Date.now() - 90_000 };
    const post = { body, headers: signInternalRequest(late, { requestId: 'r', principal }, body) };
    for (const sent of [exchange.postJson, exchange.postForStream]) {
      await expect(sent({ ...post, signal: AbortSignal.timeout(FOREVER_MS) })).rejects.toThrow(
        /signed \d+ s ago.*INTERNAL_SECRET/,
      );
    }
    await exchange.close();
  });

  it('refuses invalid requests', async () => {
    expect((await send('{"variables":{}}')).status).toBe(422);
    expect((await send('nonsense')).status).toBe(422);
    const invalid = (await (await send(query('{ nope }'))).json()) as { errors: { extensions: object }[] };
    expect(invalid.errors[0]?.extensions).toEqual({ code: 'GRAPHQL_VALIDATION_FAILED' });
    expect(((await (await send(query('{'))).json()) as { errors: unknown[] }).errors).toHaveLength(1);
  });

  it('streams a subscription only to requests that accept a stream', async () => {
    const response = await send(query('subscription { tick }'), { headers: { accept: 'text/event-stream' } });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(await response.text()).toBe(':\n\nevent: next\ndata: {"data":{"tick":1}}\n\nevent: complete\ndata: \n\n');
    expect((await send(query('subscription { tick }'))).status).toBe(422);
  });

  it('stops working when the gateway disconnects', async () => {
    const controller = new AbortController();
    const before = contexts.length;
    const sending = send(query('{ never }'), { signal: controller.signal }).catch(() => undefined);
    while (contexts.length === before) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    await sending;
    const { signal } = contexts.at(-1)!;
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    expect(signal.aborted).toBe(true);
  });
});
