import type { RequestListener } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { inspect } from 'node:util';
import { pino } from 'pino';
import { json, type ScriptedUpstream, startScriptedUpstream } from '../../test/contract/scripted-upstream';
import { createHttpClient, type HttpClient, type HttpClientOptions } from './http-client';
import { providerUnavailable, UpstreamError } from './upstream-error';

let upstream: ScriptedUpstream;
let client: HttpClient;
const opened: HttpClient[] = [];
const open = (options: Partial<HttpClientOptions> = {}): HttpClient => {
  const created = createHttpClient({ baseUrl: upstream.url, ...options });
  opened.push(created);
  return created;
};
// Each test has its own: a request that was given up may arrive later.
beforeEach(async () => {
  upstream = await startScriptedUpstream();
  client = open({ headers: { 'x-api-key': 'a key' } });
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
  upstream.close();
});

const timeout = () => AbortSignal.timeout(60_000);
const failure = async (response: Promise<unknown>): Promise<UpstreamError> => {
  const error: unknown = await response.catch((reason: unknown) => reason);
  if (!(error instanceof UpstreamError)) throw new Error(`not an UpstreamError: ${String(error)}`);
  return error;
};

describe('a client of a third party', () => {
  it('requests paths below the base URL, with the query and its own headers', async () => {
    upstream.play(json({ ok: true }));
    const below = open({ baseUrl: `${upstream.url}/api/v2/`, headers: { 'x-api-key': 'a key' } });
    const query = { amount: '12', chain: 1, exact: false, absent: undefined, text: 'a&b=c d' };
    expect(await below.get('/quote', query, timeout())).toEqual({ ok: true });
    expect(upstream.requests).toMatchObject([
      {
        method: 'GET',
        path: '/api/v2/quote',
        body: '',
        query: { amount: '12', chain: '1', exact: 'false', text: 'a&b=c d' },
        headers: { accept: 'application/json', 'x-api-key': 'a key' },
      },
    ]);
    expect(upstream.requests[0]!.headers['content-type']).toBeUndefined();
  });

  it('sends a body as JSON; headers of a call override its own', async () => {
    upstream.play(json({}));
    const headers = { 'x-api-key': 'another key', 'idempotency-key': '7' };
    await client.call({ method: 'PATCH', path: '/orders', body: { amount: '1' }, headers, signal: timeout() });
    expect(upstream.requests).toMatchObject([
      {
        method: 'PATCH',
        path: '/orders',
        body: '{"amount":"1"}',
        headers: { 'content-type': 'application/json', 'x-api-key': 'another key', 'idempotency-key': '7' },
      },
    ]);
    upstream.play(json([1]));
    expect(await client.post('/list', [], timeout())).toEqual([1]);
    expect(upstream.requests[0]).toMatchObject({ method: 'POST', body: '[]' });
  });

  it('returns undefined for an empty response', async () => {
    upstream.play((_, response) => response.writeHead(204).end());
    expect(await client.get('/', {}, timeout())).toBeUndefined();
  });

  it('sends each request once, whatever the response', async () => {
    for (const status of [429, 500, 502, 503]) {
      upstream.play(json({}, status));
      await failure(client.get('/', {}, timeout()));
      expect(upstream.requests).toHaveLength(1);
    }
    upstream.play((request) => request.socket.resetAndDestroy());
    await failure(client.post('/', {}, timeout()));
    expect(upstream.requests).toHaveLength(1);
  });

  it.each<[string, RequestListener]>([
    ['a refusal', json({}, 500)],
    ['a connection that is reset', (request) => request.socket.resetAndDestroy()],
    ['a response that is not JSON', (_, response) => response.writeHead(200).end('{')],
    ['silence', () => undefined],
  ])('reports after %s whether the request was a read, which changes nothing', async (_, handler) => {
    const clientWithShortTimeout = open({ timeoutMs: 100 });
    upstream.play(handler, handler);
    expect(await failure(clientWithShortTimeout.get('/', {}, timeout()))).toMatchObject({ isRead: true });
    expect(await failure(clientWithShortTimeout.post('/', {}, timeout()))).toMatchObject({ isRead: false });
  });

  it('follows no redirect', async () => {
    upstream.play(
      (_, response) => response.writeHead(302, { location: `${upstream.url}/elsewhere` }).end(),
      json({ secret: true }),
    );
    expect(await failure(client.get('/', {}, timeout()))).toMatchObject({ kind: 'status', status: 302 });
    expect(upstream.requests).toHaveLength(1);
  });

  it.each([
    ['JSON', '{"code":1002,"message":"no quote"}', { code: 1002, message: 'no quote' }],
    ['text', 'on fire', 'on fire'],
    ['long text, cut', 'x'.repeat(5000), 'x'.repeat(1000)],
    ['nothing', '', undefined],
  ])('exposes the body of an error response: %s', async (_, sent, body) => {
    upstream.play((__, response) => response.writeHead(404).end(sent));
    expect(await failure(client.get('/', {}, timeout()))).toMatchObject({ kind: 'status', status: 404, body });
  });

  it.each([
    ['in seconds', '17', 17],
    ['not at all', undefined, undefined],
    ['in words', 'soon', undefined],
    ['as less than nothing', '-5', undefined],
    ['as a date', 'Wed, 21 Oct 2015 07:28:00 GMT', undefined],
  ])('reads how long a rate limit lasts from %s', async (_, header, seconds) => {
    upstream.play(json({}, 429, header === undefined ? {} : { 'retry-after': header }));
    expect(await failure(client.get('/', {}, timeout()))).toMatchObject({ status: 429, retryAfterSeconds: seconds });
  });

  it.each([
    ['is no JSON', '{"amount":"1'],
    ['is a page', '<html></html>'],
    ['would change the prototype of objects', '{"__proto__":{"isAdmin":true}}'],
    ['would change their constructor', '{"constructor":{"prototype":{"isAdmin":true}}}'],
  ])('rejects a response that %s', async (_, sent) => {
    upstream.play((__, response) => response.writeHead(200).end(sent));
    expect(await failure(client.get('/', {}, timeout()))).toMatchObject({ kind: 'unreadable' });
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it('omits an unreadable response from its error', async () => {
    upstream.play((__, response) => response.writeHead(200).end('Zulmira Quixada, 123'));
    const error = await failure(client.get('/', {}, timeout()));
    expect(error).toMatchObject({ kind: 'unreadable' });
    expect(JSON.stringify(pino.stdSerializers.err(error as Error))).not.toContain('Quixada');
    expect(inspect(error, { depth: null })).not.toContain('Quixada');
  });

  it('stops reading a response that exceeds the maximum', async () => {
    const small = open({ maxBytes: 1000 });
    upstream.play((_, response) => response.writeHead(200).end(JSON.stringify('x'.repeat(998))));
    expect(await small.get('/', {}, timeout())).toHaveLength(998);
    let written = 0;
    const closed = new Promise((resolve) => {
      upstream.play((_, response) => {
        response.writeHead(200);
        const timer = setInterval(() => (written += response.write('x'.repeat(500)) ? 500 : 0), 1);
        response.on('close', () => {
          clearInterval(timer);
          resolve(undefined);
        });
      });
    });
    expect(await failure(small.get('/', {}, timeout()))).toMatchObject({ kind: 'unreadable' });
    await closed;
    expect(written).toBeLessThan(1_000_000);
    // The limit also applies to error responses.
    upstream.play((_, response) => response.writeHead(500).end('x'.repeat(2000)));
    expect(await failure(small.get('/', {}, timeout()))).toMatchObject({ kind: 'unreadable' });
  });

  describe('with a slow third party', () => {
    const silence = () => undefined;
    const drip: RequestListener = (_, response) => {
      response.writeHead(200).write('{');
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    };

    it.each([
      ['silence', silence],
      ['a drip', drip],
    ])('ends at its own timeout on %s', async (_, handler) => {
      upstream.play(handler);
      const { signal } = new AbortController();
      expect(await failure(open({ timeoutMs: 100 }).get('/', {}, signal))).toMatchObject({ kind: 'timeout' });
    });

    it.each([
      ['silence', silence],
      ['a drip', drip],
    ])('ends with its signal on %s', async (_, handler) => {
      upstream.play(handler);
      const abandoned = new AbortController();
      const failed = failure(client.get('/', {}, abandoned.signal));
      await wait(50);
      abandoned.abort();
      expect(await failed).toMatchObject({ kind: 'timeout' });
    });

    it('sends nothing when the signal has already aborted', async () => {
      upstream.play(json({}));
      expect(await failure(client.get('/aborted', {}, AbortSignal.abort()))).toMatchObject({ kind: 'timeout' });
      await client.get('/next', {}, timeout());
      expect(upstream.requests.map(({ path }) => path)).toEqual(['/next']);
    });
  });

  it('reports an address without a server as unreachable', async () => {
    const gone = await startScriptedUpstream();
    gone.close();
    const lost = open({ baseUrl: gone.url });
    expect(await failure(lost.get('/', {}, timeout()))).toMatchObject({ kind: 'unreachable' });
  });

  it('recovers after every failure', async () => {
    upstream.play(
      (request) => request.socket.resetAndDestroy(),
      json({}, 500),
      (_, response) => response.writeHead(200).end('{'),
      json({ ok: true }),
    );
    for (let attempt = 0; attempt < 3; attempt += 1) await failure(client.get('/', {}, timeout()));
    expect(await client.get('/', {}, timeout())).toEqual({ ok: true });
  });

  it('opens at most the configured connections, and reuses them', async () => {
    const narrow = open({ connections: 2 });
    const before = upstream.connections();
    upstream.play((_, response) => void setTimeout(() => response.end('{}'), 5));
    await Promise.all(Array.from({ length: 20 }, () => narrow.get('/', {}, timeout())));
    await narrow.get('/', {}, timeout());
    expect(upstream.connections() - before).toBeLessThanOrEqual(2);
  });

  it('keeps the response out of logs', () => {
    const said = new UpstreamError('it responded with 422', {
      kind: 'status',
      status: 422,
      body: { tin: '12345678909' },
    });
    expect(said.body).toEqual({ tin: '12345678909' });
    const lines: string[] = [];
    const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) });
    log.error({ err: providerUnavailable('someone', said), cause: said }, 'request failed');
    log.error({ err: said }, 'request failed');
    expect(lines.join()).toContain('it responded with 422');
    expect(lines.join()).not.toContain('12345678909');
  });

  it('is reported to callers as an unavailable provider, without the response', () => {
    const said = new UpstreamError('it responded with 500', { kind: 'status', status: 500, body: 'internals' });
    const error = providerUnavailable('someone', said);
    expect(error).toMatchObject({ code: 'PROVIDER_UNAVAILABLE', cause: said });
    expect(error.message).toContain('it responded with 500');
    expect(providerUnavailable('someone', new TypeError('internals')).message).not.toContain('internals');
  });
});
