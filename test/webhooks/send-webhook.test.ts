import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { verifyWebhook } from '../../scripts/webhooks/verify-webhook';
import { createWebhookSender } from '../../src/webhooks/send-webhook';
import { createWebhookSecret } from '../../src/webhooks/signature';

let handler: RequestListener = (_, response) => response.end();
let connections = 0;
const open = new Set<Socket>();
let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((request, response) => handler(request, response));
  server.on('connection', (socket) => {
    connections += 1;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hook`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  connections = 0;
});

const secret = createWebhookSecret();
/** Longer than a slow machine takes: what has to end at the time limit is sent with a shorter one. */
const TIMEOUT_MS = 10_000;
const SHORT_TIMEOUT_MS = 1000;
const sendLocally = createWebhookSender({ allowLoopback: true, timeoutMs: TIMEOUT_MS });
const never = new AbortController().signal;
const message = (target = url) => ({
  url: target,
  id: '0199e0f4-0000-7000-8000-000000000000',
  timestamp: Math.floor(Date.now() / 1000),
  body: '{"type":"webhook.test"}',
  secrets: [secret],
});
const send = (target = url) => sendLocally(message(target), never);
const sendBriefly = (timeoutMs = SHORT_TIMEOUT_MS) =>
  createWebhookSender({ allowLoopback: true, timeoutMs })(message(), never);

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!condition() && performance.now() < deadline) await wait(5);
  expect(condition()).toBe(true);
}

describe('an attempt', () => {
  it('sends the stored bytes with headers that verify, and succeeds at 2xx', async () => {
    let received: { headers: Record<string, unknown>; body: Buffer } | undefined;
    handler = (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        received = { headers: request.headers, body: Buffer.concat(chunks) };
        response.writeHead(202).end('thanks');
      });
    };
    expect(await send()).toMatchObject({ failure: undefined, status: 202 });
    const { headers, body } = received!;
    expect(body.toString()).toBe(message().body);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': message().id });
    const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) =>
      String(headers[`webhook-${name}`]),
    );
    expect(verifyWebhook({ id: id!, timestamp: timestamp!, signature: signature!, body }, [secret], new Date())).toBe(
      true,
    );
  });

  it.each([300, 301, 302, 307, 308])('fails at %i, and follows no redirect', async (status) => {
    handler = (_, response) => response.writeHead(status, { location: url }).end();
    expect(await send()).toMatchObject({ failure: 'STATUS', status });
    expect(connections).toBe(1);
  });

  it.each([
    ['120', 120],
    ['0', 0],
    ['Wed, 21 Oct 2099 07:28:00 GMT', undefined],
    ['-5', undefined],
    ['1e9', undefined],
    ['99999999999', undefined],
  ])('reads Retry-After %s as %p seconds', async (header, retryAfterSeconds) => {
    handler = (_, response) => response.writeHead(503, { 'retry-after': header }).end();
    expect(await send()).toMatchObject({ failure: 'STATUS', status: 503, retryAfterSeconds });
  });

  it('keeps the start of a rejection on one line, without control characters', async () => {
    handler = (_, response) => response.writeHead(400).end(`no\u0000 such\n hook ${'x'.repeat(1000)}`);
    const result = await send();
    expect(result?.response).toMatch(/^no {2}such {2}hook x+$/);
    expect(result?.response).toHaveLength(500);
  });

  it('ends by itself when the process stops, and reports nothing', async () => {
    handler = () => undefined;
    const stopping = new AbortController();
    const sending = sendLocally(message(), stopping.signal);
    await wait(50);
    stopping.abort();
    expect(await sending).toBeUndefined();
  });
});

describe('a hostile receiver', () => {
  it('that sends a header byte by byte costs no more than the time limit', async () => {
    const dripping = new Set<NodeJS.Timeout>();
    handler = (request) => {
      const timer = setInterval(() => request.socket.write('H'), 50);
      dripping.add(timer);
      request.socket.on('close', () => clearInterval(timer));
    };
    const result = await sendBriefly();
    expect(result).toMatchObject({ failure: expect.stringMatching(/^(TIMEOUT|UNREACHABLE)$/) });
    expect(result!.durationMs).toBeLessThan(TIMEOUT_MS);
    for (const timer of dripping) clearInterval(timer);
  });

  it('that never responds is a timeout', async () => {
    handler = () => undefined;
    expect(await sendBriefly()).toMatchObject({ failure: 'TIMEOUT', status: undefined });
  });

  it('that drips the body of a rejection has its status counted within the time limit', async () => {
    handler = (request, response) => {
      response.writeHead(500);
      const timer = setInterval(() => response.write('.'), 50);
      request.socket.on('close', () => clearInterval(timer));
    };
    const result = await sendBriefly(3000);
    expect(result).toMatchObject({ failure: 'STATUS', status: 500, response: expect.stringMatching(/^\.+$/) });
    expect(result!.durationMs).toBeLessThan(TIMEOUT_MS);
  });

  it('that accepts and then drips a body for ever is not listened to', async () => {
    handler = (request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 50);
      request.socket.on('close', () => clearInterval(timer));
    };
    const result = await send();
    expect(result).toMatchObject({ failure: undefined, status: 200 });
    expect(result!.durationMs).toBeLessThan(TIMEOUT_MS);
  });

  it('that responds with a huge body has at most 20 kB of it read', async () => {
    let written = 0;
    handler = (request, response) => {
      response.writeHead(400);
      const chunk = Buffer.alloc(65_536, 'x');
      const write = (): void => {
        while (!request.socket.destroyed && written < 500_000_000) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', write);
        }
      };
      write();
    };
    expect(await send()).toMatchObject({ failure: 'STATUS', status: 400 });
    await until(() => open.size === 0);
    // What fits into the buffers of the two sockets.
    expect(written).toBeLessThan(20_000_000);
  });

  it('that resets the connection is unreachable', async () => {
    handler = (request) => request.socket.resetAndDestroy();
    expect(await send()).toMatchObject({ failure: 'UNREACHABLE', status: undefined });
  });

  it('that speaks no HTTP is unreachable', async () => {
    handler = (request) => request.socket.end('hello\r\n');
    expect(await send()).toMatchObject({ failure: 'UNREACHABLE' });
  });

  it('leaves no connection open', async () => {
    handler = (_, response) => response.end();
    await Promise.all(Array.from({ length: 20 }, () => send()));
    await until(() => open.size === 0);
  });
});

describe('an attempt in production', () => {
  const port = () => new URL(url).port;
  const PRIVATE = [
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '::1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
  ];

  it.each(PRIVATE)('makes no connection to a name that resolves to %s', async (address) => {
    const resolve = () => Promise.resolve([{ address, family: address.includes(':') ? 6 : 4 }]);
    const strict = createWebhookSender({ allowLoopback: false, resolve, timeoutMs: TIMEOUT_MS });
    expect(await strict(message(`https://hooks.example.com:${port()}/`), never)).toMatchObject({
      failure: 'NOT_ALLOWED',
    });
    expect(connections).toBe(0);
  });

  it('queries the DNS servers, which needs no thread of the process', async () => {
    const started = new Set<string>();
    const hook = createHook({ init: (_, type) => void started.add(type) }).enable();
    const strict = createWebhookSender({ allowLoopback: false, timeoutMs: SHORT_TIMEOUT_MS });
    await strict(message('https://hooks.example.com:1/'), never);
    hook.disable();
    expect([started.has('QUERYWRAP'), started.has('GETADDRINFOREQWRAP')]).toEqual([true, false]);
  });

  it('cancels the lookup of a name when the time limit of the attempt has passed', async () => {
    let wasCancelled = false;
    const resolve = ({ signal }: { readonly signal: AbortSignal }) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => {
          wasCancelled = true;
          reject(new Error('cancelled'));
        });
      });
    const strict = createWebhookSender({ allowLoopback: false, resolve, timeoutMs: 100 });
    expect(await strict(message('https://hooks.example.com/'), never)).toMatchObject({ failure: 'TIMEOUT' });
    expect(wasCancelled).toBe(true);
  });

  it('refuses a name with a private address among others', async () => {
    const resolve = () =>
      Promise.resolve([
        { address: '93.184.216.34', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ]);
    const strict = createWebhookSender({ allowLoopback: false, resolve, timeoutMs: TIMEOUT_MS });
    expect(await strict(message(`https://hooks.example.com:${port()}/`), never)).toMatchObject({
      failure: 'NOT_ALLOWED',
    });
  });

  it('checks the address of each connection: a name that is rebound later reaches nothing', async () => {
    let lookups = 0;
    const resolve = () => {
      lookups += 1;
      return Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    };
    const strict = createWebhookSender({ allowLoopback: false, resolve, timeoutMs: TIMEOUT_MS });
    const results = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      results.push(await strict(message(`https://rebound.example.com:${port()}/`), never));
    }
    expect(results.map((result) => result?.failure)).toEqual(['NOT_ALLOWED', 'NOT_ALLOWED', 'NOT_ALLOWED']);
    expect([lookups, connections]).toEqual([3, 0]);
  });

  it.each([
    'http://127.0.0.1:@/',
    'https://127.1:@/',
    'https://[::1]:@/',
    'https://2130706433:@/',
    'http://hooks.example.com/',
  ])('makes no connection to %s', async (spelling) => {
    const strict = createWebhookSender({ allowLoopback: false, timeoutMs: TIMEOUT_MS });
    expect(await strict(message(spelling.replace('@', port())), never)).toMatchObject({ failure: 'NOT_ALLOWED' });
    expect(connections).toBe(0);
  });
});
