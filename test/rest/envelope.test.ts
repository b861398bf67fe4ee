import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ACTION, type Edge, healthOf, KEY, startEdge, WALLET } from './edge';
import type { FakeResolver } from './fake-graph';

let edge: Edge;
let aborted = 0;

/** Responds only with its error when it is aborted. */
const untilAborted: FakeResolver = (_, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      aborted += 1;
      reject(new TypeError('aborted'));
    });
  });

beforeAll(async () => {
  edge = await startEdge({
    roots: {
      'Mutation.createSwapTransaction': async ({ quoteId }, { signal }) => {
        await sleep(50);
        if (signal.aborted) aborted += 1;
        return { id: quoteId, chainId: 1, quoteId, transactionData: [] };
      },
    },
  });
});
afterAll(() => edge.close());

/** Sends raw bytes. Resolves to the response once the server disconnects. */
const raw = (text: string, keepOpen = false): Promise<{ status: number; headers: string; body: any }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(edge.url);
    const socket = connect({ host: hostname, port: Number(port) }, () =>
      keepOpen ? socket.write(text) : socket.end(text),
    );
    let bytes = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (bytes += chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const [headers = '', body = ''] = bytes.split('\r\n\r\n');
      resolve({ status: Number(bytes.split(' ')[1]), headers, body: body === '' ? undefined : JSON.parse(body) });
    });
  });

const expectEnvelope = (body: unknown, code: string): void =>
  expect(body).toMatchObject({ error: { code, message: expect.any(String) } });

describe('every invalid request gets the error envelope', () => {
  it.each([
    ['GET', '/nothing', 404, 'NOT_FOUND'],
    ['PROPFIND', '/nothing', 404, 'NOT_FOUND'],
    ['DELETE', '/actions', 405, 'METHOD_NOT_ALLOWED'],
    ['POST', '/v2/swap/quote', 405, 'METHOD_NOT_ALLOWED'],
    ['PROPFIND', '/v2/swap/quote', 405, 'METHOD_NOT_ALLOWED'],
    ['PUT', '/actions/x', 405, 'METHOD_NOT_ALLOWED'],
    ['PATCH', '/graphql', 405, 'METHOD_NOT_ALLOWED'],
    ['POST', '/webhook', 404, 'NOT_FOUND'],
  ])('%s %s', async (...[method, path, status, code]) => {
    const init = { method, ...(method === 'POST' ? { body: '<a/>', headers: { 'content-type': 'text/xml' } } : {}) };
    const response = await edge.fetch(path, init);
    expect(response.status).toBe(status);
    expectEnvelope(await response.json(), code);
    if (status === 405) expect(response.headers.get('allow')).toMatch(/OPTIONS/);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('x-request-id')).toBeTruthy();
  });

  it.each([
    ['a malformed request line', 'NONSENSE\r\n\r\n', 400],
    ['a missing Host', 'GET /health HTTP/1.1\r\n\r\n', 400],
    ['two Hosts', 'GET /health HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n', 400],
    [
      'two Hosts among other headers',
      'GET /health HTTP/1.1\r\nA: host\r\nHOST: a\r\nB: host\r\nHost: a\r\nConnection: close\r\n\r\n',
      400,
    ],
    ['a malformed Host', 'GET /health HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400],
    ['headers of 20 kB', `GET /health HTTP/1.1\r\nHost: a\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['an expectation', 'GET /health HTTP/1.1\r\nHost: a\r\nExpect: nonsense\r\n\r\n', 417],
    ['invalid percent encoding', 'GET /actions/%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 422],
    [
      'a body of 2 MB',
      `POST /v2/swap/bytecode HTTP/1.1\r\nHost: a\r\nx-api-key: ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 2000000\r\n\r\n`,
      413,
    ],
  ])('%s', async (_, text, status) => {
    const received = await raw(text, status === 413);
    expect(received.status).toBe(status);
    expectEnvelope(received.body, 'VALIDATION_ERROR');
    expect(received.headers.toLowerCase()).toMatch(/x-request-id: \S+/);
    expect(received.headers.toLowerCase()).toMatch(/ratelimit-policy: \S+/);
  });

  it('an incomplete request', async () => {
    const received = await raw('GET /health HTTP/1.1\r\nHost: a\r\n', true);
    expect(received.status).toBe(408);
    expectEnvelope(received.body, 'VALIDATION_ERROR');
  });

  it('a request that times out, and its work is aborted', async () => {
    aborted = 0;
    const brief = await startEdge({ config: { REQUEST_TIMEOUT_MS: 300 }, roots: { 'Query.action': untilAborted } });
    const response = await brief.fetch('/actions/01890a5d-ac96-774b-bcce-b302099a8057');
    expect(response.status).toBe(503);
    const body = await response.json();
    expectEnvelope(body, 'SERVICE_UNAVAILABLE');
    expect(body.error.details.requestId).toBe(response.headers.get('x-request-id'));
    expect(aborted).toBe(1);
    await brief.close();
  });
});

it('aborts the work of a disconnected caller', async () => {
  aborted = 0;
  const controller = new AbortController();
  const left = await startEdge({
    roots: {
      'Query.action': (...call) => {
        controller.abort(); // the caller leaves once the work has begun
        return untilAborted(...call);
      },
    },
  });
  const calling = left.fetch('/actions/01890a5d-ac96-774b-bcce-b302099a8057', { signal: controller.signal });
  await expect(calling).rejects.toThrow();
  while (aborted === 0) await sleep(5);
  await left.close();
});

it('does not abort the work of a POST after the end of its body', async () => {
  const gateway = await startEdge({
    roots: {
      'Mutation.reportActionTransaction': async (_, { signal }) => {
        await sleep(50);
        if (signal.aborted) throw new TypeError('aborted');
        return ACTION;
      },
    },
  });
  const response = await gateway.fetch('/actions/01890a5d-ac96-774b-bcce-b302099a8057/transactions', {
    method: 'POST',
    body: '{"txHash":"0x1"}',
    headers: { 'content-type': 'application/json' },
  });
  expect(response.status).toBe(200);
  await gateway.close();
});

it('does not abort a swap execution after the end of its body', async () => {
  aborted = 0;
  const quoteId = '01890a5d-ac96-774b-bcce-b302099a8057';
  const response = await edge.fetch('/v2/swap/bytecode', {
    method: 'POST',
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ quoteId, originAddress: WALLET, destinationAddress: WALLET }),
  });
  expect(response.status).toBe(200);
  expect(aborted).toBe(0);
});

it('echoes a valid request id and replaces any other', async () => {
  const idFor = async (sent: string) =>
    (await edge.fetch('/health', { headers: { 'x-request-id': sent } })).headers.get('x-request-id');
  expect(await idFor('trace-42.a_B')).toBe('trace-42.a_B');
  expect(await idFor('a b')).toMatch(/^[0-9a-f-]{36}$/);
  expect(await idFor('x'.repeat(129))).toMatch(/^[0-9a-f-]{36}$/);
});

describe('rate limits', () => {
  it('are in the headers of every response', async () => {
    for (const path of ['/health', '/docs', '/nothing', `/actions?walletAddress=${WALLET}`, '/actions']) {
      const { headers } = await edge.fetch(path);
      expect(headers.get('ratelimit-policy')).toMatch(/^"minute";q=\d+;w=60/);
      expect(headers.get('ratelimit')).toMatch(/^"minute";r=\d+;t=\d+/);
      for (const name of ['limit', 'remaining', 'reset']) expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
    }
  });

  it('end in 429 with the seconds to wait, for a key and for an address', async () => {
    const limited = await startEdge({ limit: 1 });
    const asKey = () => limited.fetch(`/actions?walletAddress=${WALLET}`);
    const asAnonymous = () => fetch(`${limited.url}/nothing`);
    for (const [call, code] of [
      [asKey, 'RATE_LIMIT_EXCEEDED'],
      [asAnonymous, 'RATE_LIMITED'],
    ] as const) {
      await call();
      const refused = await call();
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '17']);
      expect(await refused.json()).toMatchObject({ error: { code, details: { retryAfter: 17 } } });
    }
    expect((await limited.fetch('/health')).status).toBe(200);
    await limited.close();
  });

  it('charge a wrong key to its address', async () => {
    const before = edge.charges.length;
    expect((await edge.fetch('/actions', { headers: { 'x-api-key': 'wrong' } })).status).toBe(401);
    expect(edge.charges.slice(before)).toEqual([{ subject: { kind: 'address', address: '127.0.0.1' }, cost: 1 }]);
  });
});

it('trusts exactly the configured number of proxies for the address of the caller', async () => {
  for (const [proxies, address] of [
    [0, '127.0.0.1'],
    [1, '2.2.2.2'],
    [2, '1.1.1.1'],
  ] as const) {
    const behind = await startEdge({ config: { TRUSTED_PROXIES: proxies } });
    const headers = { 'x-forwarded-for': '1.1.1.1, 2.2.2.2', 'x-forwarded-host': '[' };
    await fetch(`${behind.url}/graphql?query={ping}`, { headers });
    expect(behind.charges).toEqual([{ subject: { kind: 'address', address }, cost: 1 }]);
    await behind.close();
  }
});

it('logs requests by route, without query, body or credentials', async () => {
  const before = edge.log.length;
  await edge.fetch(`/actions?walletAddress=${WALLET}&canary=canary-in-query`, {
    headers: { 'x-request-id': 'logged' },
  });
  await edge.fetch('/v2/swap/bytecode', {
    method: 'POST',
    body: '{"pixKey":"canary-in-body"}',
    headers: { 'content-type': 'application/json', 'x-api-key': 'canary-in-key' },
  });
  while (edge.log.length < before + 2) await new Promise(setImmediate);
  expect(edge.log.find(({ requestId }) => requestId === 'logged')).toEqual({
    level: 30,
    msg: 'request',
    requestId: 'logged',
    method: 'GET',
    route: '/actions',
    status: 200,
    customerId: 'customer',
    durationMs: expect.any(Number),
  });
  expect(JSON.stringify(edge.log)).not.toMatch(/canary|0xd8dA/);
});

describe('health', () => {
  it('needs no key, and is 503 with the report when the service cannot serve', async () => {
    expect((await fetch(`${edge.url}/health`)).status).toBe(200);
    const body = { status: 'degraded', version: '1', uptimeSeconds: 1, checks: { database: 'down' } } as const;
    const degraded = await startEdge({ health: healthOf({ serving: false, body }) });
    const report = await fetch(`${degraded.url}/health`);
    expect([report.status, await report.json()]).toEqual([503, body]);
    expect((await fetch(`${degraded.url}/health/ready`)).status).toBe(503);
    expect((await fetch(`${degraded.url}/health/live`)).status).toBe(200);
    expect(degraded.charges).toEqual([]);
    await degraded.close();
  });
});

it('completes running requests before it closes, and accepts no new ones', async () => {
  let finish: () => void = () => undefined;
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const closing = await startEdge({
    roots: {
      'Query.action': () => {
        begin();
        return new Promise((_, reject) => (finish = () => reject(new TypeError('late'))));
      },
    },
  });
  const running = closing.fetch('/actions/01890a5d-ac96-774b-bcce-b302099a8057');
  await begun;
  let isClosed = false;
  const closed = closing.close().then(() => (isClosed = true));
  const isAccepted = () =>
    fetch(`${closing.url}/health/live`).then(
      () => true,
      () => false,
    );
  while (await isAccepted()) await sleep(5);
  expect(isClosed).toBe(false);
  finish();
  const response = await running;
  expect([response.status, response.headers.get('connection')]).toEqual([500, 'close']);
  await closed;
  await expect(fetch(`${closing.url}/health/live`)).rejects.toThrow();
});
