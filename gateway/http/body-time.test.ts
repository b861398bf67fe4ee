import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fastify, { type FastifyInstance } from 'fastify';
import type { CustomerId, Principal } from '../../src/auth/principal';
import { createRequestScope } from '../edge/request-scope';
import { limitBodyTime } from './body-time';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const PRINCIPAL: Principal = { kind: 'apiKey', customerId: 'customer' as CustomerId, keyId: 'key' };
/** Longer than the time for an ordinary body, shorter than that for a large one. */
const LATE_MS = 9000;

let app: FastifyInstance;
let bodies: WeakRef<object>[];
let arrived: Promise<void>;
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  bodies = [];
  app = fastify();
  app.decorateRequest('scope');
  app.addHook('onRequest', (request, _reply, done) => {
    request.scope = { ...createRequestScope(), principal: PRINCIPAL };
    done();
  });
  limitBodyTime(app, 10);
  arrived = new Promise((resolve) => {
    app.addHook('preParsing', (...[, , , done]) => {
      done();
      resolve();
    });
  });
  app.post('/', ({ body }) => {
    bodies.push(new WeakRef(Object(body)));
    return 'received';
  });
});
afterEach(async () => {
  jest.useRealTimers();
  await app.close();
});

async function sendLate(): Promise<string> {
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const request = httpRequest(url, { method: 'POST', agent: false, headers: { 'content-type': 'application/json' } });
  request.write('{"a":');
  await arrived;
  jest.advanceTimersByTime(LATE_MS);
  request.end('1}');
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return text(response);
}

it('keeps no large body in memory that has arrived late', async () => {
  expect(await sendLate()).toBe('received');
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(bodies.map((body) => body.deref() === undefined)).toEqual([true]);
});
