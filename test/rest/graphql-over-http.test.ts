import { get as getPlainly } from 'node:http';
import { connect } from 'node:net';
import { auditServer } from 'graphql-http';
import { serviceError } from '../../src/errors/service-error';
import { type Edge, KEY, startEdge } from './edge';

let edge: Edge;

beforeAll(async () => {
  edge = await startEdge({
    roots: {
      'Query.me': (_, { principal }) => {
        if (principal === undefined) throw serviceError('AUTHENTICATION_REQUIRED', { reason: 'who are you?' });
        return { id: principal.customerId, name: principal.kind };
      },
      'Query.action': () => {
        throw new TypeError('a secret of ours');
      },
      'Subscription.ticks': async function* ({ count }, { signal }) {
        for (let tick = 1; tick <= count; tick += 1) yield await Promise.resolve(tick);
        if (count === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    },
  });
});
afterAll(() => edge.close());

const post = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${edge.url}/graphql`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
const execute = async (query: string, headers?: Record<string, string>): Promise<any> =>
  (await post({ query }, headers)).json();
const costOf = async (query: string): Promise<number> => {
  const before = edge.charges.length;
  await execute(query);
  return edge.charges.slice(before).reduce((sum, { cost }) => sum + cost, 0);
};

it('passes every audit of GraphQL over HTTP', async () => {
  const results = await auditServer({ url: `${edge.url}/graphql`, fetchFn: fetch });
  expect(results.filter(({ status }) => status !== 'ok').map(({ id, name }) => `${id} ${name}`)).toEqual([]);
  expect(results).toHaveLength(61);
});

describe('credentials', () => {
  it('are not required for public fields; a field that requires one returns an error', async () => {
    expect(await execute('{ ping }')).toEqual({ data: { ping: true } });
    expect(await execute('{ ping }', { 'x-api-key': '' })).toEqual({ data: { ping: true } });
    expect(await execute('{ me { id } }')).toMatchObject({
      errors: [{ path: ['me'], extensions: { code: 'AUTHENTICATION_REQUIRED' } }],
    });
  });

  it('are taken as key or bearer', async () => {
    const nameFor = async (headers: Record<string, string>) => (await execute('{ me { name } }', headers)).data.me.name;
    expect(await nameFor({ 'x-api-key': KEY })).toBe('apiKey');
    expect(await nameFor({ authorization: 'Bearer a.b.c' })).toBe('bearer');
  });

  it('are refused with 401 when they are invalid, before the document is parsed', async () => {
    const response = await post({ query: '{ ping }' }, { 'x-api-key': 'wrong' });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'INVALID_API_KEY' } }] });
  });
});

describe('errors', () => {
  it('carry their code and details', async () => {
    const response = await post(
      { query: 'query ($id: UUID!) { swapStatus(id: $id) { id } }', variables: { id: 'x' } },
      { accept: 'application/graphql-response+json' },
    );
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'VALIDATION_ERROR', details: { errors: [{ path: 'variables' }] } } }],
    });
  });

  it('name every problem of a document, with its location', async () => {
    const expected = { errors: [{ locations: [{ line: 1, column: 3 }] }, { locations: [{ line: 1, column: 12 }] }] };
    expect(await execute('{ nonsense nothing }')).toMatchObject(expected);
    const streamed = await post({ query: '{ nonsense nothing }' }, { accept: 'text/event-stream' });
    expect(await streamed.json()).toMatchObject(expected);
  });

  it('mask a bug, and contain the request id of its log entry', async () => {
    const query = '{ action(id: "01890a5d-ac96-774b-bcce-b302099a8057") { id } }';
    const body = await execute(query, { 'x-request-id': 'r-9' });
    expect(body.errors[0].extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR', details: { requestId: 'r-9' } });
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/json; charset=latin1', 415],
  ])('a POST of %s is %d', async (type, status) => {
    const response = await fetch(`${edge.url}/graphql`, {
      method: 'POST',
      body: '{"query":"{ping}"}',
      headers: { 'content-type': type },
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_ERROR' } }] });
  });

  it('refuse a NUL in variables and in the document', async () => {
    const query = 'query ($t: String!) { swapQuote(tokenIn: $t, tokenOut: "b") { id } }';
    const inVariables = await (await post({ query, variables: { t: 'a\0' } })).json();
    expect(inVariables.errors[0].extensions.code).toBe('VALIDATION_ERROR');
    const inDocument = await execute('{ swapQuote(tokenIn: "a\\u0000", tokenOut: "b") { id } }');
    expect(inDocument.errors[0].extensions.code).toBe('VALIDATION_ERROR');
  });

  it('refuse batches', async () => {
    expect((await post([{ query: '{ ping }' }, { query: '{ ping }' }])).status).toBe(400);
  });
});

describe('the charge', () => {
  it.each([
    ['{ ping }', 1],
    ['{ a: ping b: ping c: ping }', 3],
    ['{ ...F ping } fragment F on Query { a: ping ... { b: ping } }', 3],
    ['{ __typename __schema { queryType { name } } }', 2],
    ['{ nonsense }', 1],
    ['{', 1],
  ])('of %s is %d', async (query, cost) => {
    expect(await costOf(query)).toBe(cost);
  });

  it('is refused with 429 before anything is executed', async () => {
    let pings = 0;
    const limited = await startEdge({ limit: 4, roots: { 'Query.ping': () => (pings += 1) > 0 } });
    await fetch(`${limited.url}/graphql?query={ping}`, { headers: { 'apollo-require-preflight': 'true' } });
    const response = await fetch(`${limited.url}/graphql`, {
      method: 'POST',
      body: '{"query":"{ a: ping b: ping c: ping d: ping }"}',
      headers: { 'content-type': 'application/json' },
    });
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '17']);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] });
    expect(pings).toBe(1);
    await limited.close();
  });
});

it('refuses introspection when it is disabled', async () => {
  const closed = await startEdge({ config: { GRAPHQL_INTROSPECTION: false } });
  const query = encodeURIComponent('{ __type(name: "Query") { name } }');
  const body = await (await fetch(`${closed.url}/graphql?query=${query}`)).json();
  expect(body.errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  expect(body.data).toBeUndefined();
  await closed.close();
});

describe('GET', () => {
  const get = (query: string, headers: Record<string, string> = {}) =>
    fetch(`${edge.url}/graphql?query=${encodeURIComponent(query)}`, { headers });

  it('runs queries and never mutations', async () => {
    expect(await (await get('{ ping }')).json()).toEqual({ data: { ping: true } });
    const mutation = `mutation { reportActionTransaction(id: "01890a5d-ac96-774b-bcce-b302099a8057", txHash: "x") { id } }`;
    expect((await get(mutation)).status).toBe(405);
    expect((await get(mutation, { accept: 'text/event-stream' })).status).toBe(405);
  });

  it('is refused as a cross-site request without CORS', async () => {
    const blind = { 'sec-fetch-mode': 'no-cors', accept: '*/*' };
    // fetch() would set the mode itself.
    const status = await new Promise((resolve) =>
      getPlainly(`${edge.url}/graphql?query={ping}`, { headers: blind }, (response: any) => {
        response.resume();
        resolve(response.statusCode);
      }),
    );
    expect(status).toBe(400);
  });
});

describe('server-sent events', () => {
  const stream = (body: unknown, init: RequestInit = {}) =>
    fetch(`${edge.url}/graphql`, {
      method: 'POST',
      body: JSON.stringify(body),
      ...init,
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    });

  it('carry a subscription: every result, then its end', async () => {
    const response = await stream({ query: 'subscription ($n: Int!) { ticks(count: $n) }', variables: { n: 2 } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('x-request-id')).toBeTruthy();
    expect(response.headers.get('ratelimit')).toBeTruthy();
    expect(await response.text()).toBe(
      'event: next\ndata: {"data":{"ticks":1}}\n\nevent: next\ndata: {"data":{"ticks":2}}\n\nevent: complete\ndata:\n\n',
    );
  });

  it('carry a query too, by POST or GET', async () => {
    const expected = 'event: next\ndata: {"data":{"ping":true}}\n\nevent: complete\ndata:\n\n';
    expect(await (await stream({ query: '{ ping }' })).text()).toBe(expected);
    const got = await fetch(`${edge.url}/graphql?query={ping}`, { headers: { accept: 'text/event-stream' } });
    expect(await got.text()).toBe(expected);
  });

  it.each([
    [{ query: '{' }, 'GRAPHQL_PARSE_FAILED'],
    [{ query: '{ nonsense }' }, 'GRAPHQL_VALIDATION_FAILED'],
    [{ variables: {} }, 'VALIDATION_ERROR'],
  ])('refuse %j with 400 instead of a stream', async (body, code) => {
    const response = await stream(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code } }] });
  });

  it('end when the caller disconnects, and when the server closes', async () => {
    const controller = new AbortController();
    const left = await stream({ query: 'subscription { ticks(count: 1) }' }, { signal: controller.signal });
    await left.body!.getReader().read();
    controller.abort();

    const closing = await startEdge({
      roots: {
        'Subscription.ticks': async function* () {
          yield 1;
          await new Promise(() => undefined);
        },
      },
    });
    const open = await fetch(`${closing.url}/graphql`, {
      method: 'POST',
      body: '{"query":"subscription { ticks(count: 1) }"}',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    });
    const text = open.text();
    await new Promise((resolve) => setTimeout(resolve, 100));
    await closing.close();
    expect(await text).toMatch(/event: complete\ndata:\n\n$/);
  });

  it('end when the credential of the caller is revoked', async () => {
    let isRevoked = false;
    const watched = await startEdge({
      revoked: () => isRevoked,
      roots: {
        'Subscription.ticks': async function* () {
          yield 1;
          isRevoked = true;
          for (let tick = 2; ; tick += 1) yield await Promise.resolve(tick);
        },
      },
    });
    const response = await watched.fetch('/graphql', {
      method: 'POST',
      body: '{"query":"subscription { ticks(count: 9) }"}',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    });
    const events = (await response.text()).split('\n\n');
    expect(events[0]).toBe('event: next\ndata: {"data":{"ticks":1}}');
    expect(events[1]).toContain('"code":"INVALID_API_KEY"');
    expect(events.slice(2)).toEqual(['event: complete\ndata:', '']);
    await watched.close();
  });

  it('are named in the error of a subscription without an event stream', async () => {
    const body = await execute('subscription { ticks(count: 2) }');
    expect(body.errors[0].extensions).toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

it('closes without waiting for idle connections', async () => {
  const closing = await startEdge();
  const { hostname, port } = new URL(closing.url);
  const early = connect(Number(port), hostname);
  const ended = new Promise((resolve) => early.once('close', resolve));
  await new Promise((resolve) => early.once('connect', resolve));
  await closing.fetch('/health'); // the server has seen the other connection too
  await closing.close(); // else it takes the timeout of requests, which is longer than a test
  await ended;
});
