import { auditServer } from 'graphql-http';
import { type Edge, startEdge } from './edge';

let edge: Edge;

beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge.close());

it('passes every audit of GraphQL over HTTP', async () => {
  const results = await auditServer({ url: `${edge.url}/graphql`, fetchFn: fetch });
  const failed = results.filter(({ status }) => status !== 'ok');
  expect(failed.map((result) => ({ ...result, response: undefined }))).toEqual([]);
  expect(results).toHaveLength(61);
});
