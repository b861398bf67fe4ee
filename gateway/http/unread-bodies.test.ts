import { once } from 'node:events';
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import fastify, { type FastifyInstance } from 'fastify';
import { createRequestScope } from '../edge/request-scope';
import { createBodyPace } from './read-at-pace';
import { discardUnreadBodies } from './unread-bodies';

const SMALL = Buffer.alloc(50_000, 'a');
const BODY = Buffer.alloc(1.5 * 1024 * 1024, 'a');

let app: FastifyInstance;
let url: string;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
beforeAll(async () => {
  app = fastify({ bodyLimit: 8 * 1024 * 1024 });
  app.decorateRequest('scope');
  app.addHook('onRequest', (request, reply) => {
    request.scope = createRequestScope();
    return reply.code(429).send('refused');
  });
  discardUnreadBodies(app, createBodyPace(3));
  app.post('/', () => 'handled');
  url = await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  agent.destroy();
  await app.close();
});

async function post(body: Buffer): Promise<number | undefined> {
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const request = httpRequest(url, { method: 'POST', agent, headers });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response.statusCode;
}

it('reads the bodies of refused requests at a pace, and refuses the next request on the connection as well', async () => {
  const started = performance.now();
  expect([await post(BODY), await post(BODY), await post(Buffer.from('{}'))]).toEqual([429, 429, 429]);
  // Three megabytes at three a second, but for what is read ahead.
  expect(performance.now() - started).toBeGreaterThan(500);
});

it('delays no small request, and another one by two seconds at most, however many bytes were discarded before', async () => {
  // Twenty megabytes at three a second would take seven seconds.
  for (let count = 0; count < 400; count++) await post(SMALL);
  const started = performance.now();
  for (let count = 0; count < 20; count++) await post(SMALL);
  const small = performance.now() - started;
  await post(BODY);
  await post(SMALL);
  expect(small).toBeLessThan(2000);
  // Three pauses of two seconds at most: the body arrives in more than one part.
  expect(performance.now() - started - small).toBeLessThan(20_000);
});
