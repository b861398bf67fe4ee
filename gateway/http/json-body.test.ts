import fastify, { type FastifyInstance } from 'fastify';
import { requestFailure } from '../edge/failure';
import { acceptJsonBodies } from './json-body';

let app: FastifyInstance;
const takeTurn = jest.fn(() => Promise.resolve());
beforeEach(() => takeTurn.mockClear());
beforeAll(() => {
  app = fastify({ bodyLimit: 8 * 1024 * 1024 });
  app.addHook('onRequest', (request, _reply, done) => {
    request.scope = { principal: undefined } as never;
    done();
  });
  acceptJsonBodies(app, { takeTurn });
  app.setErrorHandler((error, _request, reply) => reply.code(422).send(requestFailure(error).details));
  app.post('/', (request) => request.body);
});
afterAll(() => app.close());

const post = (payload: string) =>
  app.inject({ method: 'POST', url: '/', headers: { 'content-type': 'application/json' }, payload });

it.each([
  ['{"quoteId":', 'is not valid JSON at its end'],
  ['{"quoteId" 1}', 'is not valid JSON at position 11'],
  ['{"quoteId": secret}', 'is not valid JSON: unexpected "s"'],
  [`[${'1,'.repeat(10_001)}1]`, 'must not have more than 10000 values'],
  ['{"a":[{"constructor":{"prototype":1}}]}', 'has a key that is not allowed: __proto__ or constructor'],
  ['{"__proto__":1}', 'has a key that is not allowed: __proto__ or constructor'],
])('describes what is wrong with the body %.20s, without repeating it', async (payload, message) => {
  expect((await post(payload)).json()).toEqual({ errors: [{ path: 'body', message }] });
});

it.each([
  ['{"quoteId":', 'is not valid JSON at its end'],
  ['{"quoteId": secret}', 'is not valid JSON: unexpected "s"'],
  [`[${'1,'.repeat(10_001)}1]`, 'must not have more than 10000 values'],
  ['['.repeat(65), 'must not be nested more than 64 levels deep'],
  ['{"__proto__":1}', 'has a key that is not allowed: __proto__ or constructor'],
])('describes the same problem of a body of two megabytes: %.20s', async (payload, message) => {
  const response = await post(' '.repeat(2 * 1024 * 1024) + payload);
  expect(response.json()).toEqual({ errors: [{ path: 'body', message }] });
});

it('parses bodies of two megabytes, also many at once', async () => {
  const bodies = Array.from({ length: 5 }, (_, index) => ({ index, texts: ['"é\\'.repeat(500_000), '\uFEFF'] }));
  const responses = await Promise.all(bodies.map((body) => post(JSON.stringify(body))));
  expect(responses.map((response): unknown => response.json())).toEqual(bodies);
});

it('accepts a byte order mark, and a key named constructor', async () => {
  expect((await post('\uFEFF{"constructor":1}')).json()).toEqual({ constructor: 1 });
});

it('parses a large body in turns of its caller, and a small one at once', async () => {
  await post('{"a":1}');
  expect(takeTurn).not.toHaveBeenCalled();
  await post(JSON.stringify({ a: 'a'.repeat(100_000) }));
  expect(takeTurn).toHaveBeenCalled();
  takeTurn.mockRejectedValueOnce(new RangeError('too many wait'));
  expect((await post(JSON.stringify({ a: 'a'.repeat(100_000) }))).statusCode).toBe(422);
});
