import fastify, { type FastifyInstance } from 'fastify';
import { requestFailure } from '../edge/failure';
import { acceptJsonBodies } from './json-body';

let app: FastifyInstance;
beforeAll(() => {
  app = fastify();
  acceptJsonBodies(app);
  app.setErrorHandler((error, _request, reply) => reply.code(422).send(requestFailure(error).details));
  app.post('/', (request) => request.body);
});
afterAll(() => app.close());

it.each([
  ['{"quoteId":', 'is not valid JSON at its end'],
  ['{"quoteId" 1}', 'is not valid JSON at position 11'],
  ['{"quoteId": secret}', 'is not valid JSON: unexpected "s"'],
  [`[${'1,'.repeat(10_001)}1]`, 'must not have more than 10000 values'],
  ['{"__proto__":1}', 'has a key that is not allowed: __proto__ or constructor'],
])('describes what is wrong with the body %.20s, without repeating it', async (payload, message) => {
  const { body } = await app.inject({
    method: 'POST',
    url: '/',
    headers: { 'content-type': 'application/json' },
    payload,
  });
  expect(JSON.parse(body)).toEqual({ errors: [{ path: 'body', message }] });
});
