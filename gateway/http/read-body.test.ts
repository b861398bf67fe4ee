import { EventEmitter, once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify';
import { createPace, type Pace } from '../../src/async/pace';
import { readBody } from './read-body';

const MB = 1024 * 1024;

/** A test may set another one. */
let pace: Pace;
beforeEach(() => {
  pace = createPace({ perSecond: Number.MAX_SAFE_INTEGER, maxDelayMs: 2000 });
});

/** Emits the codes of failed requests. */
const failures = new EventEmitter();
let app: FastifyInstance;
let url: string;
beforeAll(async () => {
  app = fastify({ bodyLimit: 8 * MB });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request: FastifyRequest, payload: IncomingMessage) =>
    readBody(request, payload, (bytes) => pace.take('customer', bytes)),
  );
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    failures.emit('failure', error.code);
    return reply.code(error.statusCode ?? 500).send(error.code);
  });
  app.post('/', (request) => (request.body as Buffer).toString());
  url = await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app.close());

/** Sends the parts one after the other, without a declared length unless the headers have one. */
async function send(parts: readonly string[], headers: Readonly<Record<string, string>> = {}) {
  const request = httpRequest(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } });
  const responded = once(request, 'response');
  for (const part of parts) {
    request.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  request.end();
  return read(await responded);
}

async function read([response]: unknown[]) {
  const { statusCode: status } = response as IncomingMessage;
  return { status, body: await text(response as IncomingMessage) };
}

it.each([0, 1, 70_000, 2_500_000])(
  'reads a body of parts of %i bytes, with and without a declared length',
  async (size) => {
    const parts = ['a', 'b', 'c'].map((letter) => letter.repeat(size));
    const whole = parts.join('');
    const responses = [await send(parts), await send(parts, { 'content-length': String(whole.length) })];
    expect(responses.map(({ status, body }) => status === 200 && body === whole)).toEqual([true, true]);
  },
);

it('reads bodies at their pace, however fast they are sent', async () => {
  pace = createPace({ perSecond: 8 * MB, maxDelayMs: 2000 });
  const part = 'a'.repeat(MB);
  const started = performance.now();
  const responses = await Promise.all([send([part, part, part]), send([part, part, part])]);
  // The last of the six megabytes begins to be read after five of them, but for the parts that are read ahead.
  expect(performance.now() - started).toBeGreaterThan(500);
  expect(responses.map(({ body }) => body === part.repeat(3))).toEqual([true, true]);
});

const REFUSED = { status: 413, body: 'FST_ERR_CTP_BODY_TOO_LARGE' };

it('refuses a body when it grows above the limit', async () => {
  const request = httpRequest(url, { method: 'POST', headers: { 'content-type': 'application/json' } });
  const responded = once(request, 'response');
  for (let part = 0; part < 8; part += 1) request.write(' '.repeat(MB));
  // Nothing is sent behind the byte that is too many: the connection ends with the response, and a write would fail.
  request.write(' ');
  expect(await read(await responded)).toEqual(REFUSED);
  request.destroy();
});

it('refuses a body that declares a length above the limit before it arrives', async () => {
  const headers = { 'content-type': 'application/json', 'content-length': String(9 * MB) };
  const request = httpRequest(url, { method: 'POST', headers });
  request.write(' ');
  expect(await read(await once(request, 'response'))).toEqual(REFUSED);
  request.destroy();
});

it('fails with the error of a connection that ends before the declared length', async () => {
  const socket = connect(Number.parseInt(new URL(url).port, 10), '127.0.0.1');
  const requested = once(app.server, 'request');
  const failed = once(failures, 'failure');
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n12345');
  await requested;
  socket.destroy();
  expect(await failed).toEqual(['ECONNRESET']);
});
