import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import fastify, { type FastifyInstance } from 'fastify';
import { endRefusedPipelines, handlePipelinedInTurn } from './pipelining';

let app: FastifyInstance;
let running = 0;
let maxRunning = 0;
let handled = 0;
/** The handler waits while it is true. */
let isHeld = false;
/** Called by `/quick`, which responds at once. */
let onQuick: () => void = () => undefined;

beforeEach(async () => {
  [running, maxRunning, handled] = [0, 0, 0];
  app = fastify({ serverFactory: (handle) => createServer(handlePipelinedInTurn(handle)) });
  endRefusedPipelines(app);
  app.get('/', async () => {
    maxRunning = Math.max(maxRunning, (running += 1));
    do await wait(5);
    while (isHeld);
    running -= 1;
    handled += 1;
    return 'served';
  });
  app.get('/quick', (_request, reply) => {
    onQuick();
    return reply.send('quick');
  });
  app.get('/refused', async (_request, reply) => {
    await wait(5); // as long as the request is counted
    return reply.code(429).send('refused');
  });
  app.get('/last', (_request, reply) => reply.header('connection', 'close').send('the last'));
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => app.close());

const open = () => connect((app.server.address() as AddressInfo).port, '127.0.0.1');
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

it('handles the requests that a client sends at once on one connection one after the other, and responds to all', async () => {
  const socket = open();
  let received = '';
  socket.on('data', (data: Buffer) => (received += data.toString()));
  socket.write(REQUEST.repeat(20));
  while (received.split('served').length < 21) await once(socket, 'data');
  expect([maxRunning, handled]).toEqual([1, 20]);
  socket.write(REQUEST);
  while (received.split('served').length < 22) await once(socket, 'data');
  socket.destroy();
});

it('handles one request of a connection in a turn of the event loop, even if the response needs no I/O', async () => {
  let turn = 0;
  let counter = setImmediate(function count() {
    turn += 1;
    counter = setImmediate(count);
  });
  const turns: number[] = [];
  const socket = open();
  try {
    onQuick = () => turns.push(turn);
    socket.write('GET /quick HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20));
    while (turns.length < 20) await wait(5);
    expect(new Set(turns).size).toBe(20);
  } finally {
    clearImmediate(counter);
    socket.destroy();
  }
});

it('handles connections at the same time', async () => {
  isHeld = true;
  const sockets = [open(), open(), open()];
  for (const socket of sockets) socket.write(REQUEST);
  while (maxRunning < 3) await wait(5);
  isHeld = false;
  await Promise.all(sockets.map((socket) => once(socket, 'data')));
  for (const socket of sockets) socket.destroy();
});

it('does nothing for the further requests of a client that has left', async () => {
  const handledBefore = new Promise<number>((resolve) => {
    app.server.once('connection', (connection: Socket) => connection.once('close', () => resolve(handled)));
  });
  const socket = open();
  socket.write(REQUEST.repeat(20));
  await once(socket, 'data');
  socket.destroy();
  const before = await handledBefore;
  await wait(100);
  expect(handled - before).toBeLessThanOrEqual(1); // the one in progress
});

it('begins no request after a response that ends the connection', async () => {
  const socket = open();
  socket.write(`GET /last HTTP/1.1\r\nHost: a\r\n\r\n${REQUEST}`);
  await once(socket, 'data');
  await wait(50);
  expect(handled).toBe(0);
  socket.destroy();
});

it('ends a connection after a request above the rate limit when further requests wait on it', async () => {
  const socket = open();
  let received = '';
  socket.on('data', (data: Buffer) => (received += data.toString()));
  socket.write(`GET /refused HTTP/1.1\r\nHost: a\r\n\r\n${REQUEST.repeat(20)}`);
  await once(socket, 'close');
  expect(received).toMatch(/^HTTP\/1\.1 429 [\s\S]*connection: close\r\n[\s\S]*refused$/);
  expect(handled).toBe(0);
});

it('keeps a connection after a refusal when nothing waits on it', async () => {
  const socket = open();
  socket.write('GET /refused HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(socket, 'data');
  socket.write(REQUEST);
  await once(socket, 'data');
  expect(handled).toBe(1);
  socket.destroy();
});

it('ends a connection on which too many requests wait', async () => {
  isHeld = true;
  const socket = open();
  socket.on('error', () => undefined);
  socket.write(REQUEST.repeat(102));
  await once(socket, 'close');
  isHeld = false;
  await wait(20);
  expect(handled).toBeLessThanOrEqual(1);
});
