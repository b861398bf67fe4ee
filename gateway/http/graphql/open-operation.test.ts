import type { FastifyRequest } from 'fastify';
import { parse } from 'graphql';
import type { CallerOperation } from '../../federation/federated-graph';
import { createOpenOperation } from './open-operation';

test('every request gets its operation from the bounded cache of the graph, also when its document is stored', async () => {
  const prepare = jest.fn(() => Promise.resolve({ costOf: () => ({ requests: 1 }) } as unknown as CallerOperation));
  const open = createOpenOperation({ graph: { prepare }, config: {} } as unknown as Parameters<
    typeof createOpenOperation
  >[0]);
  const request = { scope: {}, ip: '127.0.0.1' } as unknown as FastifyRequest;
  const document = parse('query A { a } query B { b }');
  for (const operationName of ['A', 'B', 'A']) await open(request, { document, operationName, variables: {} });
  expect(prepare.mock.calls.map(([, name]: unknown[]) => name)).toEqual(['A', 'B', 'A']);
});
