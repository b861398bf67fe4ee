import { parse } from 'graphql';
import type { FederatedGraph, OperationResult } from '../../gateway/federation/federated-graph';
import { serveSubgraph } from '../../gateway/federation/subgraph/serve-subgraph';
import { httpTransport } from '../../gateway/federation/subgraph/subgraph-transport';
import type { RequestContext } from '../../src/auth/request-context';
import { serviceError } from '../../src/errors/service-error';
import { briefly, contextWith, FOREVER_MS, smallGraph, type SmallSubgraph, subgraphSchema } from './small-graph';

const SECRET = 'b'.repeat(64);
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

let closedStreams = 0;

async function* ticks(count: number): AsyncGenerator {
  if (count === 0) {
    yield { ticked: { id: '1' } };
    throw serviceError('RATE_LIMIT_EXCEEDED', { bound: '1 request per minute', retryAfter: 9 });
  }
  try {
    for (let i = 1; i <= count; i++) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      yield { ticked: { id: String(i) } };
    }
    if (count === 99) await new Promise(() => undefined);
  } finally {
    closedStreams += 1;
  }
}

let loaders = 0;
const createLoader = (): { readonly number: number } => ({ number: (loaders += 1) });
/** The number of the loader that the resolver gets. */
const loaderOf = (_: unknown, __: unknown, context: RequestContext): number => context.loader(createLoader).number;

const clock: SmallSubgraph = {
  sdl: `type Query { x: Int } type Subscription { ticked(count: Int!): Tick refused: Tick } type Tick @key(fields: "id") { id: ID! own: Int }`,
  resolvers: {
    Tick: { own: loaderOf },
    Subscription: {
      ticked: { subscribe: (_: unknown, { count }: { count: number }) => ticks(count) },
      refused: {
        subscribe: () => {
          throw serviceError('FORBIDDEN', { reason: 'no' });
        },
      },
    },
  },
};
const names: SmallSubgraph = {
  sdl: 'type Query { y: Int } type Tick @key(fields: "id") { id: ID! name: String other: Int }',
  resolvers: {
    Tick: {
      __resolveReference: (tick: object) => tick,
      other: loaderOf,
      name: ({ id }: { id: string }) => {
        if (id === '2') throw serviceError('QUOTE_NOT_FOUND', { quoteId: id });
        return `tick ${id}`;
      },
    },
  },
};

async function graphOver(kind: 'process' | 'http'): Promise<FederatedGraph> {
  if (kind === 'process') return keep(await smallGraph({ clock, names }));
  const server = await serveSubgraph({
    schema: subgraphSchema(clock),
    internalSecret: SECRET,
    host: '127.0.0.1',
    port: 0,
  });
  closers.push(() => server.close());
  return keep(
    await smallGraph({
      clock: { ...clock, transport: httpTransport(server.url, { timeoutMs: FOREVER_MS, internalSecret: SECRET }) },
      names,
    }),
  );
}

function keep(graph: FederatedGraph): FederatedGraph {
  closers.unshift(() => graph.close());
  return graph;
}

interface SubscribeOptions {
  readonly signal?: AbortSignal;
  readonly variables?: unknown;
}

const subscribe = (
  graph: FederatedGraph,
  source: string,
  { variables, ...parts }: SubscribeOptions = {},
): AsyncGenerator<OperationResult> => graph.prepareTrusted(parse(source)).subscribe(variables, contextWith(parts));

async function all(results: AsyncGenerator<OperationResult>): Promise<OperationResult[]> {
  const collected: OperationResult[] = [];
  for await (const result of results) collected.push(JSON.parse(JSON.stringify(result)) as OperationResult);
  return collected;
}

describe.each(['process', 'http'] as const)('a subscription over %s', (kind) => {
  it('looks up entities again for every event', async () => {
    const graph = await graphOver(kind);
    const results = await all(
      subscribe(graph, 'subscription($n: Int!) { ticked(count: $n) { id name } }', { variables: { n: 3 } }),
    );
    expect(results.map(({ data }) => data)).toEqual([
      { ticked: { id: '1', name: 'tick 1' } },
      { ticked: { id: '2', name: null } },
      { ticked: { id: '3', name: 'tick 3' } },
    ]);
    expect(results.map(briefly)).toEqual([[], ['QUOTE_NOT_FOUND at ticked.name'], []]);
  });

  it('loads again for every event, in the subgraph of the event and in the others', async () => {
    const graph = await graphOver(kind);
    const results = await all(subscribe(graph, 'subscription { ticked(count: 3) { own other } }'));
    const numbers = results.flatMap(({ data }) =>
      Object.values((data as { readonly ticked: Readonly<Record<string, number>> }).ticked),
    );
    expect(numbers).toHaveLength(6);
    expect(new Set(numbers).size).toBe(6);
  });

  it('ends when the caller disconnects, although the source sends no event', async () => {
    const graph = await graphOver(kind);
    const controller = new AbortController();
    const before = closedStreams;
    const results = subscribe(graph, 'subscription { ticked(count: 99) { id } }', { signal: controller.signal });
    for (let i = 1; i <= 99; i++) expect((await results.next()).value).toEqual({ data: { ticked: { id: String(i) } } });
    setTimeout(() => controller.abort(), 10);
    expect(await results.next()).toEqual({ done: true, value: undefined });
    expect(closedStreams).toBe(before); // it waits forever, and cannot be interrupted
  });

  it('closes the source when the caller disconnects between two events', async () => {
    const graph = await graphOver(kind);
    const controller = new AbortController();
    const before = closedStreams;
    const results = subscribe(graph, 'subscription { ticked(count: 50) { id } }', { signal: controller.signal });
    await results.next();
    controller.abort();
    await results.next();
    for (let i = 0; i < 100 && closedStreams === before; i++) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(closedStreams).toBe(before + 1);
  });

  it('that is interrupted ends with the error', async () => {
    const results = await all(subscribe(await graphOver(kind), 'subscription { ticked(count: 0) { id } }'));
    expect(results.flatMap(briefly)).toEqual([expect.stringContaining('RATE_LIMIT_EXCEEDED')]);
    expect(results).toHaveLength(2);
  });

  it('that cannot start returns one result with the error', async () => {
    const [result, ...others] = await all(subscribe(await graphOver(kind), 'subscription { refused { id } }'));
    expect(others).toEqual([]);
    expect(briefly(result ?? {})).toEqual(['FORBIDDEN at refused']);
  });
});

describe('subscribing', () => {
  it('to a query returns its result, and executing a subscription returns an error', async () => {
    const graph = await graphOver('process');
    expect(await all(subscribe(graph, '{ __typename }'))).toEqual([{ data: { __typename: 'Query' } }]);
    const executed = await graph.prepareTrusted(parse('subscription { refused { id } }')).execute({}, contextWith());
    expect(briefly(executed)).toEqual(['GRAPHQL_VALIDATION_FAILED at nothing']);
  });

  it('with invalid variables returns one result with the error', async () => {
    const results = await all(
      subscribe(await graphOver('process'), 'subscription($n: Int!) { ticked(count: $n) { id } }'),
    );
    expect(results.map(briefly)).toEqual([['VALIDATION_ERROR at nothing']]);
  });
});
