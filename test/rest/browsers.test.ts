import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { request } from 'undici';
import { type Edge, startEdge } from './edge';

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge({});
});
afterAll(() => edge.close());

describe('browsers', () => {
  it('may send preflight requests from any origin, without a key', async () => {
    const response = await fetch(`${edge.url}/v2/swap/quote`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-api-key,content-type',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-headers')).toContain('x-api-key');
    expect(response.headers.get('access-control-allow-methods')).toContain('POST');
    expect((await fetch(`${edge.url}/v2/swap/quote`, { method: 'OPTIONS' })).status).toBe(204);
  });

  it('may read the headers of rate limits and request ids', async () => {
    const exposed = (await edge.fetch('/health')).headers.get('access-control-expose-headers');
    for (const name of ['ratelimit', 'retry-after', 'x-request-id', 'x-ignored-parameters'])
      expect(exposed).toContain(name);
  });

  it('are allowed for the configured origins only', async () => {
    const strict = await startEdge({ config: { CORS_ORIGINS: ['https://app.example'] } });
    const from = async (origin: string) =>
      (await strict.fetch('/health', { headers: { origin } })).headers.get('access-control-allow-origin');
    expect(await from('https://app.example')).toBe('https://app.example');
    expect(await from('https://evil.example')).toBeNull();
    await strict.close();
  });

  it.each([
    ['a path that is not valid percent-encoding', '/actions/%zz', {}],
    ['a malformed host', '/health', { host: 'a b' }],
  ])('may read the refusal of %s', async (_name, path, headers) => {
    const strict = await startEdge({ config: { CORS_ORIGINS: ['https://app.example'] } });
    const refusedBy = async (url: string, origin: string) => {
      const response = await request(`${url}${path}`, { headers: { origin, ...headers } });
      expect([400, 422]).toContain(response.statusCode);
      return response.headers['access-control-allow-origin'];
    };
    expect(await refusedBy(edge.url, 'https://any.example')).toBe('*');
    expect(await refusedBy(strict.url, 'https://app.example')).toBe('https://app.example');
    expect(await refusedBy(strict.url, 'https://evil.example')).toBeUndefined();
    await strict.close();
  });

  it('may read the response to what is not well-formed HTTP, when every origin is allowed', async () => {
    const socket = connect(Number(new URL(edge.url).port), '127.0.0.1');
    socket.write('NONSENSE\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 [^]*\r\naccess-control-allow-origin: \*\r\n/);
  });
});
