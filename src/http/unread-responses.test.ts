import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { limitUnreadResponses, type UnreadResponseLimits } from './unread-responses';

const MEGABYTE = 1024 * 1024;
const BODY = Buffer.alloc(16 * MEGABYTE, 'x');

const servers: Server[] = [];
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** A server whose every response has 16 MB, and the sockets that it has destroyed. */
async function serve(limits: UnreadResponseLimits): Promise<{ readonly port: number; readonly closed: () => number }> {
  let closed = 0;
  const server = createServer((_, response) => response.end(BODY));
  server.on('connection', (socket) => socket.once('close', () => (closed += 1)));
  limitUnreadResponses(server, { checkMs: 20, ...limits });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return { port: (server.address() as AddressInfo).port, closed: () => closed };
}

/** A client that requests and does not read. */
async function request(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').pause();
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  return socket;
}

async function until(condition: () => boolean): Promise<void> {
  const end = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error('the condition was not met');
    await wait(10);
  }
}

describe('a response that its client does not read', () => {
  it('is dropped with its connection after the deadline', async () => {
    const { port, closed } = await serve({ deadlineMs: 100 });
    await request(port);
    await until(() => closed() === 1);
  });

  it('is dropped at once above the limit of all unread bytes, the longest first', async () => {
    const { port, closed } = await serve({ deadlineMs: 60_000, maxBytes: 20 * MEGABYTE });
    const clients = await Promise.all([request(port), request(port), request(port)]);
    await until(() => closed() === 2);
    await wait(100);
    expect(closed()).toBe(2);
    expect(clients).toHaveLength(3);
  });

  it('does not affect a client that reads', async () => {
    const { port } = await serve({});
    await request(port);
    const response = await fetch(`http://127.0.0.1:${String(port)}/`);
    expect((await response.arrayBuffer()).byteLength).toBe(BODY.length);
  });

  it('that is an open stream is kept while its client reads', async () => {
    const server = createServer((_, response) => {
      const timer = setInterval(() => response.write('event\n'), 10);
      response.once('close', () => clearInterval(timer));
    });
    limitUnreadResponses(server, { checkMs: 10, deadlineMs: 50 });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    const socket = await request((server.address() as AddressInfo).port);
    socket.resume();
    await wait(300);
    expect(socket.destroyed).toBe(false);
  });
});
