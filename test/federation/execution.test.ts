import type { FederatedGraph } from '../../gateway/federation/federated-graph';
import { serviceError } from '../../src/errors/service-error';
import { briefly, run, smallGraph, type SmallSubgraph } from './small-graph';

const graphs: FederatedGraph[] = [];
const build = async (subgraphs: Record<string, SmallSubgraph>): Promise<FederatedGraph> => {
  const graph = await smallGraph(subgraphs);
  graphs.push(graph);
  return graph;
};
afterAll(() => Promise.all(graphs.map((graph) => graph.close())));

const reference = (one: object): object => one;

const wallets: SmallSubgraph = {
  sdl: `
    type Query { wallet(id: ID!): Wallet wallets: [Wallet!] grid: [[Wallet]] sure: Wallet! }
    type Wallet @key(fields: "id") { id: ID! best: Token size: Int }
    type Token @key(fields: "id") { id: ID! }`,
  resolvers: {
    Query: {
      wallet: (_: unknown, { id }: { id: string }) => ({ id }),
      wallets: () => [{ id: '1' }, { id: '2' }, { id: '1' }],
      grid: () => [[{ id: '1' }, null], null, [{ id: '3' }]],
      sure: () => ({ id: '9' }),
    },
    Wallet: { best: () => ({ id: 't1' }), size: ({ id }: { id: string }) => id.length * 10 },
  },
};

const prices: SmallSubgraph = {
  sdl: `
    type Query { other: Int }
    type Token @key(fields: "id") { id: ID! fee(currency: String): String price: Float! }
    type Wallet @key(fields: "id") { id: ID! size: Int @external label(lang: String): String rent: Int @requires(fields: "size") worth: Float! }`,
  resolvers: {
    Token: {
      __resolveReference: reference,
      fee: (_: unknown, { currency = '-' }) => `fee in ${currency}`,
      price: () => 1.5,
    },
    Wallet: {
      __resolveReference: reference,
      label: ({ id }: { id: string }, { lang = 'en' }) => {
        if (id === '2') throw serviceError('QUOTE_NOT_FOUND', { quoteId: id }, { details: { id } });
        return `label ${id} ${lang}`;
      },
      rent: ({ size }: { size: number | null }) => (size === null ? null : size + 1),
      worth: ({ id }: { id: string }) => (id === '9' ? null : 2.5),
    },
  },
};

describe('data of several subgraphs', () => {
  it('keeps two selections of one entity apart when their arguments differ', async () => {
    const graph = await build({ wallets, prices });
    const { data } = await run(
      graph,
      '{ a: wallet(id: 1) { best { fee(currency: "BRL") } } b: wallet(id: 1) { best { fee } } }',
    );
    expect(data).toEqual({ a: { best: { fee: 'fee in BRL' } }, b: { best: { fee: 'fee in -' } } });
  });

  it('reports an error of one entity at every position that holds it', async () => {
    const graph = await build({ wallets, prices });
    const result = await run(
      graph,
      '{ first: wallet(id: 2) { label } second: wallet(id: 2) { label } wallets { label } }',
    );
    expect(result.data).toEqual({
      first: { label: null },
      second: { label: null },
      wallets: [{ label: 'label 1 en' }, { label: null }, { label: 'label 1 en' }],
    });
    expect([...briefly(result)].sort()).toEqual([
      'QUOTE_NOT_FOUND at first.label',
      'QUOTE_NOT_FOUND at second.label',
      'QUOTE_NOT_FOUND at wallets.1.label',
    ]);
    expect(result.errors?.[0]?.extensions).toEqual({ code: 'QUOTE_NOT_FOUND', details: { id: '2' } });
  });

  it('looks up entities in nested lists, and keeps their nulls', async () => {
    const graph = await build({ wallets, prices });
    const { data } = await run(graph, '{ grid { label(lang: "pt") } }');
    expect(data).toEqual({ grid: [[{ label: 'label 1 pt' }, null], null, [{ label: 'label 3 pt' }]] });
  });

  it('executes the operation that crashes the planner: one response key with two meanings', async () => {
    const graph = await build({
      hits: {
        sdl: `type Query { hits: [Hit!] } union Hit = A | B type A { token: Token } type B { token: Token }
              type Token @key(fields: "id") { id: ID! }`,
        resolvers: {
          Query: {
            hits: () => [
              { __typename: 'A', token: { id: '1' } },
              { __typename: 'B', token: { id: '1' } },
            ],
          },
        },
      },
      prices,
      wallets,
    });
    const { data } = await run(
      graph,
      '{ hits { ... on A { token { fee } } ... on B { token { fee(currency: "BRL") } } } }',
    );
    expect(data).toEqual({ hits: [{ token: { fee: 'fee in -' } }, { token: { fee: 'fee in BRL' } }] });
  });

  it('spreads a null to the first nullable parent, with one error', async () => {
    const graph = await build({ wallets, prices });
    const result = await run(graph, '{ sure { worth } }');
    expect(result.data).toBeNull();
    expect(briefly(result)).toEqual(['INTERNAL_SERVER_ERROR at sure.worth']);
  });

  it('returns an error for a null that no subgraph explains', async () => {
    const silent: SmallSubgraph = { ...prices, call: () => ({ data: { _entities: [null] } }) };
    const result = await run(await build({ wallets, prices: silent }), '{ wallet(id: 1) { id worth } }');
    expect(result.data).toEqual({ wallet: null });
    expect(briefly(result)).toEqual(['INVALID_SUBGRAPH_RESPONSE at wallet.worth']);
    expect(result.errors?.[0]?.message).toBe('Cannot return null for the non-null field Wallet.worth');
  });

  it('reports a failed input of @requires at the dependent field, without its name', async () => {
    const failing: SmallSubgraph = {
      ...wallets,
      resolvers: {
        ...wallets.resolvers,
        Wallet: {
          size: () => {
            throw serviceError('QUOTE_NOT_FOUND', { quoteId: 'x' });
          },
        },
      },
    };
    const result = await run(await build({ wallets: failing, prices }), '{ wallet(id: 1) { rent label } }');
    expect(result).toEqual({ data: { wallet: { rent: null, label: 'label 1 en' } } });
    const broken: SmallSubgraph = {
      ...wallets,
      call: () => ({
        data: { sure: { __typename: 'Wallet', id: '1' } },
        errors: [{ message: 'no size', path: ['sure', 'size'] }],
      }),
    };
    const partial = await run(await build({ wallets: broken, prices }), '{ sure { id rent } }');
    expect(partial.data).toEqual({ sure: { id: '1', rent: null } });
    expect(briefly(partial)).toEqual(['DOWNSTREAM_SERVICE_ERROR at sure.rent']);
  });

  it('never sends a representation that lacks a required field', async () => {
    const requested: unknown[] = [];
    const broken: SmallSubgraph = { ...wallets, call: () => ({ data: { wallet: { __typename: 'Wallet', id: '1' } } }) };
    const counting: SmallSubgraph = {
      ...prices,
      call: (variables) => {
        requested.push(variables);
        return { data: {} };
      },
    };
    await run(await build({ wallets: broken, prices: counting }), '{ sure { rent } }');
    expect(requested).toEqual([]);
  });
});

describe('inaccessible types and values', () => {
  const secrets = (type: string, value: string): Record<string, SmallSubgraph> => ({
    one: {
      sdl: `type Query { things: [Thing] kind: Kind kinds: [Kind!]! }
            interface Thing { id: ID! } type Open implements Thing { id: ID! } type Hidden implements Thing @inaccessible { id: ID! }
            enum Kind { OPEN HIDDEN @inaccessible }`,
      resolvers: {
        Query: {
          things: () => [
            { __typename: 'Open', id: '1' },
            { __typename: type, id: '2' },
          ],
          kind: () => value,
          kinds: () => ['OPEN', value],
        },
      },
    },
  });

  it('makes an object of an inaccessible type null, with an error', async () => {
    const result = await run(await build(secrets('Hidden', 'OPEN')), '{ things { __typename id } kind }');
    expect(result.data).toEqual({ things: [{ __typename: 'Open', id: '1' }, null], kind: 'OPEN' });
    expect(briefly(result)).toEqual(['INVALID_SUBGRAPH_RESPONSE at things.1']);
  });

  it('makes an inaccessible enum value null, and spreads it where null is not allowed', async () => {
    const graph = await build(secrets('Open', 'HIDDEN'));
    const result = await run(graph, '{ kind }');
    expect(result.data).toEqual({ kind: null });
    expect(briefly(result)).toEqual(['INVALID_SUBGRAPH_RESPONSE at kind']);
    expect((await run(graph, '{ kinds }')).data).toBeNull();
  });
});

describe('whole operations', () => {
  it('returns introspection and data together, in the order of the document', async () => {
    const graph = await build({ wallets, prices });
    const { data } = await run(
      graph,
      'query($type: String!) { a: __type(name: $type) { name } wallet(id: 1) { id } __typename b: __type(name: "Nope") { name } }',
      { variables: { type: 'Wallet' } },
    );
    expect(JSON.stringify(data)).toBe('{"a":{"name":"Wallet"},"wallet":{"id":"1"},"__typename":"Query","b":null}');
  });

  it('enters a root type again below a field', async () => {
    const graph = await smallGraph(
      {
        one: {
          sdl: `type Query { a: Int b(x: Int): Int @shareable }
                type Mutation { act: Result } type Result { ok: Boolean query: Query }`,
          resolvers: { Query: { a: () => 1 }, Mutation: { act: () => ({ ok: true, query: {} }) } },
        },
        two: {
          sdl: 'type Query { b(x: Int): Int @shareable }',
          resolvers: { Query: { b: (_: unknown, { x }: { x: number }) => x } },
        },
      },
      { editSupergraph: (sdl) => sdl.replace('b(x: Int): Int', 'b(x: Int): Int @join__field(graph: TWO)') },
    );
    graphs.push(graph);
    const { data } = await run(graph, 'mutation($x: Int) { act { ok query { b(x: $x) a } } }', { variables: { x: 7 } });
    expect(data).toEqual({ act: { ok: true, query: { b: 7, a: 1 } } });
  });

  it('runs mutations of several subgraphs in sequence, and continues after a failure', async () => {
    const order: string[] = [];
    const step = (name: string) => async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      order.push(name);
      if (name === 'b') throw serviceError('QUOTE_NOT_FOUND', { quoteId: 'b' });
      return name;
    };
    const graph = await build({
      one: {
        sdl: 'type Query { x: Int } type Mutation { a: String c: String }',
        resolvers: { Mutation: { a: step('a'), c: step('c') } },
      },
      two: { sdl: 'type Query { y: Int } type Mutation { b: String }', resolvers: { Mutation: { b: step('b') } } },
    });
    const result = await run(graph, 'mutation { a b c }');
    expect(result.data).toEqual({ a: 'a', b: null, c: 'c' });
    expect(order).toEqual(['a', 'b', 'c']);
    expect(briefly(result)).toEqual(['QUOTE_NOT_FOUND at b']);
  });

  it('returns an empty object when every selection is skipped', async () => {
    const graph = await build({ wallets, prices });
    const { data } = await run(
      graph,
      'query($no: Boolean!) { wallet(id: 1) { label @include(if: $no) ... @skip(if: true) { id } } }',
      { variables: { no: false } },
    );
    expect(data).toEqual({ wallet: {} });
  });

  it('takes conditions from the variables of each request', async () => {
    const graph = await build({ wallets, prices });
    const source = 'query($yes: Boolean = true) { wallet(id: 1) { id @include(if: $yes) label @skip(if: $yes) } }';
    expect((await run(graph, source)).data).toEqual({ wallet: { id: '1' } });
    expect((await run(graph, source, { variables: { yes: false } })).data).toEqual({ wallet: { label: 'label 1 en' } });
  });

  it('handles keys that every object inherits', async () => {
    const nothing: SmallSubgraph = { ...wallets, call: () => ({ data: { constructor_2: null, toString_2: null } }) };
    const { data } = await run(
      await build({ wallets: nothing, prices }),
      '{ constructor: wallet(id: 1) { id } toString: wallet(id: 2) { id } }',
    );
    expect(data).toEqual({ constructor: null, toString: null });
  });

  it('ignores response keys that are not in the request to the subgraph', async () => {
    const data = JSON.parse(
      '{"sure":{"id":"1","__proto__":{"polluted":1}},"__proto__":{"polluted":1},"extra":2}',
    ) as Record<string, unknown>;
    const graph = await build({ wallets: { ...wallets, call: () => ({ data }) }, prices });
    expect((await run(graph, '{ sure { id } }')).data).toEqual({ sure: { id: '1' } });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
