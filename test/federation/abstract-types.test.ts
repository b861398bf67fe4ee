import { parse, parseValue, valueFromASTUntyped } from 'graphql';
import type { FederatedGraph, OperationResult } from '../../gateway/federation/federated-graph';
import type { SubgraphError } from '../../gateway/federation/subgraph/subgraph-error';
import type { SubgraphTransport } from '../../gateway/federation/subgraph/subgraph-transport';
import { briefly, contextWith, run, smallGraph, type SmallSubgraph } from './small-graph';

const graphs: FederatedGraph[] = [];
const build = async (subgraphs: Record<string, SmallSubgraph>): Promise<FederatedGraph> => {
  const graph = await smallGraph(subgraphs);
  graphs.push(graph);
  return graph;
};
afterAll(() => Promise.all(graphs.map((graph) => graph.close())));

interface Reference {
  readonly __typename: string;
  readonly id: string;
}

/** A subgraph that returns `roots`, and for each representation what `entityOf` returns. */
const respond = (
  roots: Record<string, unknown>,
  entityOf: (reference: Reference) => unknown,
  errors?: readonly SubgraphError[],
): SubgraphTransport => ({
  compile: () => (variables) => {
    const references = variables['representations'] as readonly Reference[] | undefined;
    if (references === undefined) return { data: structuredClone(roots) };
    return { data: { _entities: references.map(entityOf) }, errors };
  },
});

const NOVEL = { __typename: 'Work', id: 'n1', cost: 5 };
const COMIC = { __typename: 'Work', id: 'c1', cost: 5 };

/** Owns the interface: only this subgraph has the types of works. */
const catalog = (errors?: readonly SubgraphError[]): SmallSubgraph => ({
  sdl: `type Query { x: Int }
    interface Work @key(fields: "id") { id: ID! }
    type Novel implements Work @key(fields: "id") { id: ID! title: String }
    type Comic implements Work @key(fields: "id") { id: ID! pages: Int }`,
  transport: respond(
    {},
    ({ id }) => (errors === undefined ? { __typename: id.startsWith('n') ? 'Novel' : 'Comic', title: 'T' } : null),
    errors,
  ),
});

const shop = (sent: unknown[] = []): SmallSubgraph => ({
  sdl: `type Query { offers: [Work!] best: Work } type Work @key(fields: "id") @interfaceObject { id: ID! cost: Int }`,
  transport: respond({ offers: [NOVEL, COMIC], best: NOVEL }, (reference) => {
    sent.push(reference);
    return { __typename: 'Work', id: reference.id, cost: 5 };
  }),
});

describe('an interface object', () => {
  it('gets the types of its objects from their owner, and keeps them', async () => {
    const graph = await build({ catalog: catalog(), shop: shop() });
    const { data } = await run(graph, '{ offers { __typename ... on Novel { title cost } ... on Comic { cost } } }');
    expect(data).toEqual({
      offers: [
        { __typename: 'Novel', title: 'T', cost: 5 },
        { __typename: 'Comic', cost: 5 },
      ],
    });
  });

  it('is not sent objects of other types than the one with the selected fields', async () => {
    const sent: unknown[] = [];
    const graph = await build({ catalog: catalog(), shop: shop(sent) });
    const { data } = await run(graph, '{ offers { ... on Novel { cost } } }');
    expect(data).toEqual({ offers: [{ cost: 5 }, {}] });
    expect(sent).toEqual([{ __typename: 'Work', id: 'n1' }]);
  });

  it.each([
    ['its entity', ['_entities', 0]],
    ['a field that is not selected', ['_entities', 0, 'id']],
  ])('whose type cannot be looked up has an error, also when the error is of %s', async (_, path) => {
    const graph = await build({ catalog: catalog([{ message: 'no type', path }]), shop: shop() });
    const result = await run(graph, '{ best { ... on Novel { title } } }');
    expect(briefly(result)).toEqual(['DOWNSTREAM_SERVICE_ERROR at best']);
  });
});

it('an error of a field that is not selected is reported at an object without selected fields', async () => {
  const errors = [{ message: 'no', path: ['me', 'name'] }];
  const only: SmallSubgraph = {
    sdl: 'type Query { me: Person } type Person { id: ID name: String }',
    call: () => ({ data: { me: { __typename: 'Person', id: '1' } }, errors }),
  };
  const graph = await build({ only });
  const skipped = await run(graph, '{ me { ... @skip(if: true) { id } } }');
  expect([skipped.data, briefly(skipped)]).toEqual([{ me: {} }, ['DOWNSTREAM_SERVICE_ERROR at me']]);
  const complete = await run(graph, '{ me { id } }');
  expect([complete.data, briefly(complete)]).toEqual([{ me: { id: '1' } }, []]);
});

it.each(['1.50', '1.0', '1e3', '-0.0', '-0', '{ list: [2.50, 1], text: "\\"é" }', '[null, OTHER, true]'])(
  'a field of an interface gets the argument %s as it is, however the planner writes it',
  async (argument) => {
    const only: SmallSubgraph = {
      sdl: `scalar Any
        type Query { work: Work }
        interface Work { echo(value: Any): String }
        type Novel implements Work { echo(value: Any): String }`,
      resolvers: {
        Query: { work: () => ({ __typename: 'Novel' }) },
        Novel: { echo: (_: unknown, { value }: { value: unknown }) => JSON.stringify(value) },
      },
    };
    const graph = await build({ only });
    const value = JSON.stringify(valueFromASTUntyped(parseValue(argument)));
    expect(await run(graph, `{ work { echo(value: ${argument}) } }`)).toEqual({ data: { work: { echo: value } } });
  },
);

describe('a field that is required with several arguments', () => {
  const weights = { kg: 2, g: 2000, lb: 4 } as const;
  const reference = (one: object): object => one;
  const books: SmallSubgraph = {
    sdl: `type Query { book: Book } type Book @key(fields: "id") { id: ID! weight(unit: String): Int sequel: Book }`,
    resolvers: {
      Query: { book: () => ({ id: '1' }) },
      Book: {
        __resolveReference: reference,
        weight: (_: unknown, { unit }: { unit: keyof typeof weights }) => weights[unit],
        sequel: () => ({ id: '2' }),
      },
    },
  };
  const needing = (field: string, unit: string): SmallSubgraph => ({
    sdl: `type Query { ${field}s: Int }
      type Book @key(fields: "id") { id: ID! weight(unit: String): Int @external ${field}: Int @requires(fields: "weight(unit: \\"${unit}\\")") }`,
    resolvers: {
      Book: { __resolveReference: reference, [field]: ({ weight }: { weight: number }) => weight },
    },
  });
  /** Both in one subgraph, whose representations have room for one weight. */
  const needingBoth: SmallSubgraph = {
    sdl: `type Query { both: Int }
      type Book @key(fields: "id") {
        id: ID!
        weight(unit: String): Int @external
        small: Int @requires(fields: "weight(unit: \\"lb\\")")
        large: Int @requires(fields: "weight(unit: \\"g\\")")
      }`,
    resolvers: {
      Book: {
        __resolveReference: reference,
        small: ({ weight }: { weight: number }) => weight,
        large: ({ weight }: { weight: number }) => weight,
      },
    },
  };
  const subgraphs = { books, post: needing('postage', 'kg'), labels: needing('label', 'g'), needingBoth };
  let graph: FederatedGraph;
  beforeAll(async () => {
    graph = await build(subgraphs);
  });
  const execute = async (source: string): Promise<OperationResult> => {
    const operation = await graph.prepare(parse(source), undefined);
    return JSON.parse(JSON.stringify(await operation.execute({}, contextWith()))) as OperationResult;
  };

  it.each([
    ['{ book { postage } }', { postage: 2 }],
    ['{ book { label } }', { label: 2000 }],
    ['{ book { label weight(unit: "lb") } }', { label: 2000, weight: 4 }],
    ['{ book { weight(unit: "kg") w: weight(unit: "lb") } }', { weight: 2, w: 4 }],
    ['{ book { postage label } }', { postage: 2, label: 2000 }],
    ['{ book { label postage weight(unit: "lb") } }', { label: 2000, postage: 2, weight: 4 }],
    ['{ book { weight(unit: "kg") w: weight(unit: "lb") postage } }', { weight: 2, w: 4, postage: 2 }],
    ['{ book { weight_fixed_1: label postage } }', { weight_fixed_1: 2000, postage: 2 }],
    ['{ book { small } }', { small: 4 }],
    ['{ book { large postage sequel { small } } }', { large: 2000, postage: 2, sequel: { small: 4 } }],
    [
      '{ book { label sequel { postage label sequel { label sequel { postage label weight(unit: "lb") } } } } }',
      {
        label: 2000,
        sequel: {
          postage: 2,
          label: 2000,
          sequel: { label: 2000, sequel: { postage: 2, label: 2000, weight: 4 } },
        },
      },
    ],
  ])('is fetched with the arguments of each field that requires it: %s', async (source, book) => {
    expect(await execute(source)).toEqual({ data: { book } });
  });

  it('is refused where one request would need several of its values', async () => {
    await expect(execute('{ book { small large } }')).rejects.toMatchObject({ code: 'DOCUMENT_REFUSED' });
  });
});
