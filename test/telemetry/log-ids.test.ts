import { buildSchema } from 'graphql';
import { pino } from 'pino';
import { createRequestContext } from '../../src/auth/request-context';
import { createSubgraphExecutor } from '../../gateway/federation/subgraph/subgraph-executor';
import { startEdge } from '../rest/edge';

test('a resolver that fails is logged with the id of its request', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  const schema = buildSchema('type Query { bug: String }');
  Object.assign(schema.getQueryType()!.getFields()['bug']!, {
    resolve: () => Promise.reject(new Error('a bug')),
  });
  const { signal } = new AbortController();
  const context = createRequestContext({ requestId: 'request-1', principal: undefined, signal });
  await createSubgraphExecutor(schema, log)({ query: '{ bug }', variables: {}, context });
  expect(lines).toMatchObject([{ requestId: 'request-1', msg: 'a resolver failed', err: { message: 'a bug' } }]);
});

test('every line of the log about a request has its id', async () => {
  const edge = await startEdge({ roots: { 'Query.action': () => Promise.reject(new Error('a bug')) } });
  try {
    const id = '01890a5d-ac96-774b-bcce-b302099a8058';
    await (await edge.fetch(`/actions/${id}`, { headers: { 'x-request-id': 'request-2' } })).text();
    await (
      await edge.fetch('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-request-id': 'request-2' },
        body: JSON.stringify({ query: `{ action(id: "${id}") { id } }` }),
      })
    ).text();
  } finally {
    await edge.close();
  }
  expect(edge.log.length).toBeGreaterThanOrEqual(2);
  for (const line of edge.log) expect(line).toMatchObject({ requestId: 'request-2' });
});
