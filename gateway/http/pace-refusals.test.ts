import fastify, { type FastifyInstance } from 'fastify';
import { createRequestScope } from '../edge/request-scope';
import { paceRefusals } from './pace-refusals';

let app: FastifyInstance;
beforeEach(async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  app = fastify();
  app.decorateRequest('scope');
  app.addHook('onRequest', (request, _reply, done) => {
    request.scope = createRequestScope();
    done();
  });
  paceRefusals(app);
  app.get('/refused', (_request, reply) => reply.code(429).send('refused'));
  app.get('/served', () => 'served');
  await app.ready();
});
afterEach(async () => {
  jest.useRealTimers();
  await app.close();
});

const get = (url: string, remoteAddress = '192.0.2.1') => app.inject({ url, remoteAddress });
/** Number of these responses that are sent while the clock stands still. */
async function countSent(responses: readonly Promise<unknown>[]): Promise<number> {
  let count = 0;
  for (const response of responses) void response.then(() => (count += 1));
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return count;
}

it('sends the first 50 refusals of a caller at once, and the next ones within a second', async () => {
  expect(await countSent(Array.from({ length: 50 }, () => get('/refused')))).toBe(50);
  const later = Array.from({ length: 70 }, () => get('/refused'));
  expect(await countSent(later)).toBeLessThanOrEqual(1);
  jest.advanceTimersByTime(1000);
  expect(new Set((await Promise.all(later)).map(({ statusCode }) => statusCode))).toEqual(new Set([429]));
});

it('delays neither other responses to the caller nor the refusals of others', async () => {
  const flood = Array.from({ length: 200 }, () => get('/refused'));
  expect(await countSent([get('/served'), get('/refused', '192.0.2.2')])).toBe(2);
  jest.advanceTimersByTime(1000);
  await Promise.all(flood);
});
