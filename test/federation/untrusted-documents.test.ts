import { type DocumentNode, GraphQLError, GraphQLScalarType, parse } from 'graphql';
import { DOCUMENT_LIMITS } from '../../gateway/federation/document/document-limits';
import type { FederatedGraph, OperationResult } from '../../gateway/federation/federated-graph';
import { contextWith, smallGraph, type SmallSubgraph } from './small-graph';

const EvenScalar = new GraphQLScalarType({
  name: 'Even',
  parseValue(value) {
    if (typeof value !== 'string' || !/[02468]$/.test(value)) throw new GraphQLError('must be even, as a string');
    return BigInt(value);
  },
});

const received: unknown[] = [];
const subgraph: SmallSubgraph = {
  sdl: `scalar Even
    input Range { from: Even! to: Even = "8" deep: [Range!] }
    type Query { me: Person people: [Person!] size(of: Even, range: Range, n: Int! = 3): Int hits: [Hit!] }
    union Hit = A | B type A { person: Person } type B { person: Person }
    type Person @key(fields: "id") { id: ID! friend: Person }`,
  resolvers: {
    Query: {
      me: () => ({ id: '1' }),
      size: (_: unknown, given: object) => {
        received.push(given);
        return 1;
      },
    },
    Person: { friend: () => ({ id: '2' }) },
  },
};
const labels: SmallSubgraph = {
  sdl: 'type Query { other: Int } type Person @key(fields: "id") { id: ID! label(lang: String): String }',
  resolvers: { Person: { __resolveReference: (one: object) => one, label: () => 'x' } },
};
const subgraphs = { subgraph, labels };

let graph: FederatedGraph;
beforeAll(async () => {
  graph = await smallGraph(subgraphs, { scalars: [EvenScalar] });
});
afterAll(() => graph.close());

async function execute(
  source: string | DocumentNode,
  variables?: unknown,
  operationName?: string,
): Promise<OperationResult> {
  const document = typeof source === 'string' ? parse(source) : source;
  const prepared = await graph.prepare(document, operationName);
  return JSON.parse(JSON.stringify(await prepared.execute(variables, contextWith()))) as OperationResult;
}

describe('a variant of a document that is planned when it is executed', () => {
  it('waits in the queue of its caller, and not in one of all anonymous callers', async () => {
    const own = await smallGraph(subgraphs, { scalars: [EvenScalar], maxPlanningPerCaller: 1 });
    const executeAs = async (caller: string, number: number) => {
      const document = parse(`query ($on: Boolean!) { a${number}: me { label @include(if: $on) } }`);
      const prepared = await own.prepare(document, undefined, caller);
      return prepared.execute({ on: true }, contextWith({ caller }));
    };
    const results = await Promise.all([1, 2, 3, 4].map((number) => executeAs(`203.0.113.${number}`, number)));
    expect(results.map(({ errors }) => errors)).toEqual([1, 2, 3, 4].map(() => undefined));
    await own.close();
  });
});

describe('a document of a caller', () => {
  it('is planned in another process, and executed', async () => {
    expect(await execute('{ me { id label friend { label } } }')).toEqual({
      data: { me: { id: '1', label: 'x', friend: { label: 'x' } } },
    });
  });

  it('is refused when it is invalid', async () => {
    await expect(execute('{ nope }')).rejects.toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED' });
    await expect(execute('fragment F on Person { friend { ...F } } { me { ...F } }')).rejects.toMatchObject({
      code: 'GRAPHQL_VALIDATION_FAILED',
    });
    await expect(execute('query A { me { id } } query B { me { id } }')).rejects.toMatchObject({
      code: 'OPERATION_RESOLUTION_FAILURE',
    });
    await expect(execute('query A { me { id } } query B { me { id } }', {}, 'C')).rejects.toMatchObject({
      code: 'OPERATION_RESOLUTION_FAILURE',
    });
    expect(await execute('query A { me { id } } query B { me { label } }', {}, 'B')).toEqual({
      data: { me: { label: 'x' } },
    });
  });

  it.each([
    ['an argument', '{ size(of: "3") }', ['of']],
    [
      'a field of an argument',
      '{ size(range: { from: "2", deep: [{ from: "1" }] }, of: "5") }',
      ['range.deep.from', 'of'],
    ],
    ['a default value of a variable', 'query ($even: Even = "7") { size(of: $even) }', ['even']],
    ['a number', '{ size(n: 1.5) }', ['n']],
  ])('is refused with the name of %s that its scalar rejects', async (_, source, paths) => {
    await expect(execute(source)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { errors: paths.map((name) => ({ path: name })) },
    });
  });

  it('is refused with all problems when an argument and a field are invalid', async () => {
    await expect(execute('{ nope size(of: "3") }')).rejects.toMatchObject({
      code: 'GRAPHQL_VALIDATION_FAILED',
      message: expect.stringMatching(/nope.*of must be even/) as string,
    });
  });

  it.each(['__proto__', '__typename', '__x', '_internal_qp_alias_0', '_entities'])(
    'may not use the alias %s',
    async (alias) => {
      await expect(execute(`{ me { ${alias}: label } }`)).rejects.toThrow(`The alias "${alias}" is reserved`);
    },
  );

  it('may not name a variable __proto__', async () => {
    await expect(execute('query($__proto__: String) { me { label(lang: $__proto__) } }')).rejects.toThrow(
      'is reserved',
    );
  });

  it.each([
    ['aliases', `{ ${'a: other '.repeat(DOCUMENT_LIMITS.aliases + 1)} }`],
    ['directives', `{ other ${'@include(if: true) '.repeat(DOCUMENT_LIMITS.directives + 1)} }`],
    ['root fields', `{ ${'other '.repeat(DOCUMENT_LIMITS.rootFields + 1)} }`],
    ['levels', `{ me { ${'friend { '.repeat(DOCUMENT_LIMITS.depth)} id ${'} '.repeat(DOCUMENT_LIMITS.depth)} } }`],
    ['tokens', `{ me { ${'id '.repeat(DOCUMENT_LIMITS.tokens)} } }`],
    [
      'fields',
      `{ me { ...F0 } } ${Array.from({ length: 12 }, (_, i) => `fragment F${i} on Person { ...F${i + 1} ...F${i + 1} }`).join(' ')} fragment F12 on Person { id }`,
    ],
  ])('may not have too many %s', async (counted, source) => {
    await expect(execute(source)).rejects.toMatchObject({
      code: 'DOCUMENT_LIMIT_EXCEEDED',
      message: expect.stringContaining(counted) as string,
    });
  });

  it('is prepared once for any number of requests with the same text and operation', async () => {
    const source = 'query A { me { id } } query B { me { label } }';
    const first = await graph.prepare(parse(source), 'A');
    expect(await graph.prepare(parse(`# again\n${source}`), 'A')).toBe(first);
    expect(await graph.prepare(parse(source), 'B')).not.toBe(first);
  });

  it('is compiled once for concurrent requests and each combination of its conditions', async () => {
    const source = 'query($a: Boolean!) { me { id label @include(if: $a) } }';
    const results = await Promise.all(Array.from({ length: 20 }, (_, i) => execute(source, { a: i % 2 === 0 })));
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(2);
  });
});

describe('variables of a caller', () => {
  const source = 'query($of: Even, $range: Range, $n: Int! = 7) { size(of: $of, range: $range, n: $n) }';

  it('are validated by the real scalars, and reach the subgraph unchanged', async () => {
    received.length = 0;
    expect(await execute(source, { of: '4', range: { from: '2', deep: [{ from: '6', to: null }] } })).toEqual({
      data: { size: 1 },
    });
    expect(received).toEqual([{ of: '4', n: 7, range: { from: '2', to: '8', deep: [{ from: '6', to: null }] } }]);
  });

  it('are reported all at once, each with its path', async () => {
    const { data, errors } = await execute(source, {
      of: '3',
      range: { from: 5, deep: [{ to: '2' }], extra: 1 },
      n: null,
    });
    expect(data).toBeUndefined();
    expect(errors).toHaveLength(1);
    expect(errors?.[0]?.extensions.code).toBe('VALIDATION_ERROR');
    expect(errors?.[0]?.extensions.details).toEqual({
      errors: [
        { path: 'of', message: 'must be even, as a string' },
        { path: 'range.from', message: 'must be even, as a string' },
        { path: 'range.deep.0', message: 'Field "from" of required type "Even!" was not provided.' },
        { path: 'range', message: 'Field "extra" is not defined by type "Range".' },
        { path: 'n', message: 'Expected non-nullable type "Int!" not to be null.' },
      ],
    });
    expect((await execute('query($of: Even!) { size(of: $of) }', undefined)).errors?.[0]?.extensions.details).toEqual({
      errors: [{ path: 'of', message: 'is required' }],
    });
  });
});
