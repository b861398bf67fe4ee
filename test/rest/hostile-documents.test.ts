import { executeSync, getIntrospectionQuery, parse } from 'graphql';
import type { FederatedGraph } from '../../gateway/federation/federated-graph';
import { composedGraph } from './composed-graph';
import { type Edge, startEdge } from './edge';

let edge: Edge;
let graph: FederatedGraph;
beforeAll(async () => {
  graph = await composedGraph();
  edge = await startEdge({ graph, config: { REQUEST_TIMEOUT_MS: 30_000 } });
});
afterAll(async () => {
  await edge.close();
  await graph.close();
});

const post = (query: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${edge.url}/graphql`, {
    method: 'POST',
    body: JSON.stringify({ query }),
    headers: { 'content-type': 'application/json', ...headers },
  });
const send = async (query: string, headers?: Record<string, string>): Promise<any> =>
  (await post(query, headers)).json();
const codesOf = ({ errors }: any): string[] => errors.map(({ extensions }: any) => extensions.code);

const times = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');
/** Lists in lists, each with aliases. */
const multiplied = (fields: readonly string[], aliases: number): string =>
  fields.reduceRight((inner, field, level) => times(aliases, (i) => `a${level}_${i}: ${field} { ${inner} }`), 'name');

describe('introspection', () => {
  it.each([
    ['lists in lists under aliases', `{ __schema { ${multiplied(['types', 'fields', 'type'], 4)} } }`],
    [
      'many types',
      `{ ${times(80, (i) => `t${i}: __type(name: "Query") { fields { args { name type { ...T } } } }`)} } fragment T on __Type { name kind ofType { name } }`,
    ],
    [
      'fragments that double',
      `{ __schema { types { ...F0 } } } ${times(9, (i) => `fragment F${i} on __Type { ...F${i + 1} ...F${i + 1} }`)} fragment F9 on __Type { name }`,
    ],
  ])('is refused for %s', async (_name, query) => {
    expect(codesOf(await send(query))).toEqual(['DOCUMENT_LIMIT_EXCEEDED']);
  });

  it('of tools gets the whole schema', async () => {
    const query = getIntrospectionQuery({ schemaDescription: true, inputValueDeprecation: true });
    const expected = JSON.stringify(executeSync({ schema: graph.schema, document: parse(query) }));
    expect(JSON.stringify(await send(query)) === expected).toBe(true);
    expect(JSON.stringify(await send(query.replace('kind', 'kind: kind'))) === expected).toBe(true);
  });
});

describe('the cost', () => {
  const costOf = async (query: string) => (await send(query, { 'x-graphql-cost': '1' })).extensions?.cost;
  const chargeFor = async (query: string): Promise<number> => {
    const before = edge.charges.length;
    await send(query);
    return edge.charges.slice(before).reduce((total, { cost }) => total + cost, 0);
  };
  const actions = (limit: number) => `actions(limit: ${limit}) { data { id } }`;

  it('is shown on request only', async () => {
    expect(await costOf('{ me { id } }')).toEqual({ units: 1, requests: 1, unitsPerRequest: 5000 });
    expect(await send('{ me { id } }')).not.toHaveProperty('extensions');
    const streamed = await fetch(`${edge.url}/graphql?query={me{id}}`, {
      headers: { accept: 'text/event-stream', 'x-graphql-cost': '1' },
    });
    expect(await streamed.text()).toContain('"extensions":{"cost":{"units":1,');
  });

  it.each([
    ['{ wallets { data { address } } }', 1 + 20, 1],
    ['{ wallets(limit: 50) { data { address } pagination { total } } }', 1 + 50 + 1, 1],
    [`{ wallets(limit: 50) { data { ${actions(100)} } } }`, 1 + 50 * (1 + 1 + 100 * 10), 11],
    [`{ wallets(limit: 2) { data { ${times(9, (i) => `a${i}: ${actions(100)}`)} } } }`, 1 + 2 * (1 + 9 * 1001), 4],
  ])('of %s is %d units, charged as %d requests', async (query, units, requests) => {
    expect(await costOf(query)).toMatchObject({ units, requests });
    expect(await chargeFor(query)).toBe(requests);
  });

  it('of a document that multiplies lists with aliases is above the maximum, and the document is refused', async () => {
    const query = `{ wallets(limit: 100) { data { ${times(99, (i) => `a${i}: ${actions(100)}`)} } } }`;
    const { data, errors } = await send(query);
    expect(data).toBeUndefined();
    expect(errors[0]).toMatchObject({
      message: 'The document exceeds the limit of 100000 units of cost',
      extensions: { code: 'DOCUMENT_LIMIT_EXCEEDED', details: { cost: { units: expect.any(Number) } } },
    });
  });

  it('above a whole rate limit is an error that a later attempt cannot avoid, and only the HTTP request counts', async () => {
    const limited = await startEdge({ graph, limit: 4 });
    const query = `{ ${times(5, (i) => `a${i}: __typename`)} }`;
    const headers = { accept: 'application/graphql-response+json', 'apollo-require-preflight': 'true' };
    const response = await fetch(`${limited.url}/graphql?query=${encodeURIComponent(query)}`, { headers });
    expect([response.status, response.headers.get('retry-after')]).toEqual([400, null]);
    const message = 'The document exceeds the limit of 4 requests per minute; it costs 5';
    expect(await response.json()).toMatchObject({
      errors: [{ message, extensions: { code: 'DOCUMENT_LIMIT_EXCEEDED' } }],
    });
    expect(limited.charges.map(({ cost }) => cost)).toEqual([1]);
    await limited.close();
  });

  it('of introspection counts its values, except those of the well-known query', async () => {
    const query = getIntrospectionQuery();
    expect(await costOf(query)).toMatchObject({ units: 0, requests: 1 });
    const { units, requests } = await costOf(query.replace('kind', 'kind k: kind'));
    expect(units).toBeGreaterThan(5000);
    expect(requests).toBe(Math.ceil(units / 5000));
  });
});

describe('a document above a limit', () => {
  it.each([
    ['brackets', `{ action(id: ${'['.repeat(200)}) { id } }`],
    ['comments', `{ me { id } }${'\n#'.repeat(2000)}`],
    ['fields', `{ me { id } } fragment F on CustomerProfile { ${'id '.repeat(1500)} }`],
    ['aliases', `{ me { ${times(200, (i) => `a${i}: id`)} } }`],
  ])('of %s is 200 over application/json, and otherwise 400', async (_, query) => {
    const responses: [string, number][] = [
      ['*/*', 200],
      ['application/json', 200],
      ['application/graphql-response+json', 400],
      ['text/event-stream', 400],
    ];
    for (const [accept, status] of responses) {
      const response = await post(query, { accept });
      expect([accept, response.status]).toEqual([accept, status]);
      expect(codesOf(await response.json())).toEqual(['DOCUMENT_LIMIT_EXCEEDED']);
    }
  });
});

describe('validation', () => {
  it.each([
    ['one response key in introspection', `{ __schema { ${'types { name } '.repeat(600)} } }`, 'fields'],
    [
      'one response key in an unused fragment',
      `{ me { id } } fragment F on CustomerProfile { ${'id '.repeat(1500)} }`,
      'fields',
    ],
    [
      'fragments',
      `{ ${times(160, (i) => `...F${i}`)} } ${times(160, (i) => `fragment F${i} on Query { me { id } }`)}`,
      'fragments',
    ],
    ['comments', `{ me { id } }${'\n#'.repeat(100_000)}`, 'comments'],
  ])('does not begin with too many %s', async (_name, query, counted) => {
    const { errors } = await send(query);
    expect(errors[0].extensions.code).toBe('DOCUMENT_LIMIT_EXCEEDED');
    expect(errors[0].message).toContain(counted);
  });

  it.each([100, 1000, 4900])('does not begin with %d brackets that could overflow a stack', async (count) => {
    const query = `{ action(id: ${'['.repeat(count)}) { id } }`;
    const responses = [await send(query), await send(query, { accept: 'text/event-stream' })];
    for (const { errors } of responses) {
      expect(errors).toHaveLength(1);
      expect(errors[0].extensions.code).toBe('DOCUMENT_LIMIT_EXCEEDED');
    }
    expect(JSON.stringify(responses)).not.toContain('call stack');
  });
});
