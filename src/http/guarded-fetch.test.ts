import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGuardedFetch, GuardedFetchError, isAllowedUrl } from './guarded-fetch';

let connections = 0;
let handler: RequestListener = (_, response) => response.end('secret');
let canary: Server;
let port: number;
beforeAll(async () => {
  canary = createServer((request, response) => handler(request, response));
  canary.on('connection', () => (connections += 1));
  canary.listen(0, '127.0.0.1');
  await once(canary, 'listening');
  port = (canary.address() as AddressInfo).port;
});
afterAll(() => {
  canary.closeAllConnections();
  canary.close();
});
beforeEach(() => {
  connections = 0;
  handler = (_, response) => response.end('secret');
});

const HOSTS = ['evidence.example.com', '.storage.example.com'];
const strict = createGuardedFetch({ hosts: HOSTS, allowLoopback: false });
afterAll(() => strict.close());
const outcome = (fetch: ReturnType<typeof createGuardedFetch>, url: string, maxBytes = 1000): Promise<unknown> =>
  fetch
    .fetch({ url, maxBytes, signal: new AbortController().signal })
    .then(String, (error: unknown) => (error instanceof GuardedFetchError ? error.reason : error));

/** URLs that target this machine or its network. `@` stands for the port of the canary. */
const HOSTILE = [
  'http://127.0.0.1:@/', 'https://127.0.0.1:@/', 'https://127.0.0.1/', 'https://127.1:@/', 'https://127.0.1/', 'https://0/',
  'https://0.0.0.0:@/', 'https://2130706433:@/', 'https://0x7f.1:@/', 'https://0x7f000001/', 'https://017700000001/',
  'https://0177.0.0.1/', 'https://①②⑦.⓪.⓪.①:@/', 'https://127。0。0。1/', 'https://[::1]:@/', 'https://[::]:@/', 'https://[0:0:0:0:0:0:0:1]/',
  'https://[::ffff:127.0.0.1]:@/', 'https://[::ffff:7f00:1]/', 'https://[::127.0.0.1]/', 'https://[::7f00:1]/', 'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/', 'https://[fe80::1]/', 'https://[fc00::1]/', 'https://[fd00:ec2::254]/', 'https://[ff02::1]/',
  'https://10.0.0.1/', 'https://172.16.0.1/', 'https://192.168.1.1/', 'https://192.168.1.1./', 'https://169.254.169.254/latest/meta-data/',
  'https://100.64.0.1/', 'https://198.18.0.1/', 'https://224.0.0.1/', 'https://255.255.255.255/', 'https://240.0.0.1/', 'https://192.0.2.1/',
  'https://localhost:@/', 'https://LOCALHOST/', 'https://localhost./', 'https://a.localhost/', 'https://vault.internal/', 'https://printer.local/', 'https://intranet/',
  'http://evidence.example.com/', 'https://evidence.example.com:8443/', 'https://evidence.example.com:@/', 'ftp://evidence.example.com/', 'file:///etc/passwd',
  'gopher://127.0.0.1:@/', 'data:text/plain,hi', 'javascript:alert(1)', '//evidence.example.com/', 'evidence.example.com', 'https:evidence.example.com', 'https:///evidence.example.com',
  'https://user@evidence.example.com/', 'https://user:pass@evidence.example.com/', 'https://evidence.example.com@127.0.0.1:@/',
  'https://127.0.0.1:@#@evidence.example.com/', 'https://127.0.0.1:@\\@evidence.example.com/', 'https://evidence.example.com.evil.example/',
  'https://evil-evidence.example.com/', 'https://storage.example.com/', 'https://xstorage.example.com/', 'https://evil.example/?evidence.example.com',
  'https://evil.example/#.storage.example.com', 'https://%31%32%37.0.0.1/', 'https://evidence.example.com%00.evil.example/', 'https://', '', ' ', ' https://evidence.example.com/', 'x-https://evidence.example.com/', `https://evidence.example.com/${'a'.repeat(5000)}`,
]; // prettier-ignore

describe('a guarded fetch', () => {
  it('rejects more than sixty hostile spellings without a connection', async () => {
    expect(HOSTILE.length).toBeGreaterThan(60);
    for (const spelling of HOSTILE) {
      const url = spelling.replaceAll('@/', `${String(port)}/`).replaceAll(':@', `:${String(port)}`);
      for (const written of [spelling, url]) {
        expect([written, await outcome(strict, written)]).toEqual([written, { failure: 'notAllowed' }]);
        expect(isAllowedUrl(written, { hosts: HOSTS, allowLoopback: false })).toBe(false);
      }
    }
    expect(connections).toBe(0);
  });

  it.each([
    'https://evidence.example.com/a.jpg',
    'HTTPS://Evidence.Example.Com:443/a',
    'https://b.storage.example.com/x?y=z',
  ])('allows a listed host: %s', (url) => expect(isAllowedUrl(url, { hosts: HOSTS, allowLoopback: false })).toBe(true));

  it.each([
    ['a private address', [{ address: '10.0.0.1', family: 4 }]],
    ['this machine', [{ address: '127.0.0.1', family: 4 }]],
    ['this machine, in the sixth version', [{ address: '::ffff:127.0.0.1', family: 6 }]],
    [
      'a public and a private address',
      [
        { address: '93.184.216.34', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ],
    ],
    ['nothing', []],
  ])('makes no connection when a listed host resolves to %s', async (_, addresses) => {
    const rebound = createGuardedFetch({
      hosts: HOSTS,
      allowLoopback: false,
      resolve: () => Promise.resolve(addresses),
    });
    expect(await outcome(rebound, 'https://evidence.example.com/')).toEqual({ failure: 'notAllowed' });
    expect(connections).toBe(0);
    await rebound.close();
  });

  it('allows a URL of 4096 characters and no longer one', () => {
    const accepted = 'https://evidence.example.com/'.padEnd(4096, 'a');
    const isAllowed = (url: string): boolean => isAllowedUrl(url, { hosts: HOSTS, allowLoopback: false });
    expect([isAllowed(accepted), isAllowed(`${accepted}a`)]).toEqual([true, false]);
  });

  it('reports a host that does not resolve as unreachable', async () => {
    const lost = createGuardedFetch({
      hosts: HOSTS,
      allowLoopback: false,
      resolve: () => Promise.reject(new Error('ENOTFOUND')),
    });
    expect(await outcome(lost, 'https://evidence.example.com/')).toEqual({ failure: 'unreachable' });
    await lost.close();
  });

  describe('of this machine, where the deployment allows it', () => {
    const local = createGuardedFetch({ hosts: [], allowLoopback: true });
    afterAll(() => local.close());
    const url = (): string => `http://127.0.0.1:${String(port)}/`;

    it('reads the body', async () => expect(await outcome(local, url())).toBe('secret'));

    it('reads the body of a name that resolves to this machine, and of none that resolves to its network', async () => {
      const resolve = (hostname: string) =>
        Promise.resolve([{ address: hostname === 'localhost' ? '127.0.0.1' : '10.0.0.1', family: 4 }]);
      const named = createGuardedFetch({ hosts: [], allowLoopback: true, resolve });
      expect(await outcome(named, `http://localhost:${String(port)}/`)).toBe('secret');
      expect(await outcome(named, `http://a.localhost:${String(port)}/`)).toEqual({ failure: 'notAllowed' });
      await named.close();
    });

    it('follows no redirect', async () => {
      handler = (_, response) => response.writeHead(302, { location: 'https://example.com' }).end();
      expect(await outcome(local, url())).toEqual({ failure: 'status', status: 302 });
    });

    it.each([403, 404, 500])('reports the status %s', async (status) => {
      handler = (_, response) => response.writeHead(status).end('no');
      expect(await outcome(local, url())).toEqual({ failure: 'status', status });
    });

    it('stops reading a body that exceeds the maximum', async () => {
      handler = (_, response) => response.end('x'.repeat(5_000_000));
      expect(await outcome(local, url(), 1000)).toEqual({ failure: 'tooLarge' });
    });

    it('ends with its signal while the body arrives slowly', async () => {
      handler = (_, response) => {
        const timer = setInterval(() => response.write('x'), 50);
        response.on('close', () => clearInterval(timer));
      };
      const fetched = local.fetch({ url: url(), maxBytes: 1000, signal: AbortSignal.timeout(200) });
      await expect(fetched).rejects.toMatchObject({ reason: { failure: 'timeout' } });
    });

    it('still rejects other machines of the network', async () => {
      expect(await outcome(local, 'http://10.0.0.1/')).toEqual({ failure: 'notAllowed' });
      expect(await outcome(local, 'https://93.184.216.34/')).toEqual({ failure: 'notAllowed' });
    });
  });
});
