import { type Edge, startEdge } from './edge';

let edge: Edge;

beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge.close());

const post = (query: string) =>
  fetch(`${edge.url}/graphql`, {
    method: 'POST',
    body: JSON.stringify({ query }),
    headers: { 'content-type': 'application/json' },
  });

it('operations are neither cached nor prefetched, because a query may create a payment', async () => {
  const target = `${edge.url}/graphql?query=${encodeURIComponent('{ ping }')}`;
  const get = (headers: Record<string, string>) =>
    fetch(target, { headers: { accept: 'application/json', ...headers } });
  for (const response of [await get({}), await post('{ ping }'), await post('{ wrong }')]) {
    expect(response.headers.get('cache-control')).toBe('no-store');
  }
  const streamed = await get({ accept: 'text/event-stream' });
  expect(streamed.headers.get('cache-control')).toBe('no-store, no-transform');
  await streamed.text();
  for (const headers of [{ purpose: 'prefetch' }, { 'sec-purpose': 'prefetch;prerender' }]) {
    for (const accept of ['application/json', 'text/event-stream']) {
      const refused = await get({ ...headers, accept });
      expect(refused.status).toBe(400);
      expect(await refused.text()).toContain('prefetch');
    }
  }
});
