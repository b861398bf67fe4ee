import type { FederatedGraph } from '../../gateway/federation/federated-graph';
import { branchingGraph, failing, invalid, sent, subgraphs } from './branching-graph';
import { briefly, run } from './small-graph';

let graph: FederatedGraph;
beforeAll(async () => {
  graph = await branchingGraph();
});
afterAll(() => graph.close());
beforeEach(() => {
  failing.clear();
  sent.length = 0;
  invalid.length = 0;
  Object.assign(subgraphs, { responding: Infinity, finding: Infinity });
});

async function execute(operation: string, variables?: object): Promise<{ data: unknown; errors: readonly string[] }> {
  const result = await run(graph, operation, { variables });
  expect(invalid).toEqual([]);
  return { data: result.data, errors: briefly(result) };
}

const SHADES = [{ shade: 'shade of c1' }, { shade: 'shade of c2' }];
const CONDITIONS = [{ condition: 0 }, null];

interface Case {
  readonly name: string;
  readonly operation: string;
  readonly fails: string;
  readonly data: unknown;
  readonly errors: readonly string[];
}

const CASES: readonly Case[] = [
  {
    name: 'the members of a union',
    operation: '{ hits { ... on Novel { owner { owns { shade } } } ... on Comic { owner { owns { condition } } } } }',
    fails: 'condition of c2',
    data: { hits: [{ owner: { owns: SHADES } }, { owner: { owns: CONDITIONS } }] },
    errors: ['hits.1.owner.owns.1.condition'],
  },
  {
    name: 'the members of a union that have the same entity',
    operation: '{ twins { ... on Novel { owner { owns { shade } } } ... on Comic { owner { owns { condition } } } } }',
    fails: 'condition of c2',
    data: { twins: [{ owner: { owns: SHADES } }, { owner: { owns: CONDITIONS } }] },
    errors: ['twins.1.owner.owns.1.condition'],
  },
  {
    name: 'branches in which the failure reaches the entity itself',
    operation: '{ hits { ... on Novel { owner { name } } ... on Comic { owner { first { condition } } } } }',
    fails: 'condition of c1',
    data: { hits: [{ owner: { name: 'Person 1' } }, { owner: null }] },
    errors: ['hits.1.owner.first.condition'],
  },
  {
    name: 'branches in lists of lists',
    operation:
      '{ rows { ... on Novel { owner { shelves { shade } } } ... on Comic { owner { shelves { condition } } } } }',
    fails: 'condition of c2',
    data: {
      rows: [
        [{ owner: { shelves: [[SHADES[0]], [SHADES[1], SHADES[0]]] } }],
        [
          { owner: { shelves: [[{ condition: 0 }], null] } },
          { owner: { shelves: [[SHADES[0]], [SHADES[1], SHADES[0]]] } },
        ],
      ],
    },
    errors: ['rows.1.0.owner.shelves.1.0.condition'],
  },
  {
    name: 'branches that select a field with different arguments',
    operation:
      '{ hits { ... on Novel { owner { owns { condition(of: "ab") } } } ... on Comic { owner { owns { x: condition } } } } }',
    fails: 'condition of c2',
    data: {
      hits: [{ owner: { owns: [{ condition: 2 }, { condition: 2 }] } }, { owner: { owns: [{ x: 0 }, null] } }],
    },
    errors: ['hits.1.owner.owns.1.x'],
  },
  {
    name: 'branches of which one excludes the field by a condition',
    operation:
      'query ($no: Boolean = false) { hits { ... on Novel { owner { owns { shade condition @include(if: $no) } } } ... on Comic { owner { owns { condition } } } } }',
    fails: 'condition of c2',
    data: { hits: [{ owner: { owns: SHADES } }, { owner: { owns: CONDITIONS } }] },
    errors: ['hits.1.owner.owns.1.condition'],
  },
  {
    name: 'branches of which one uses a variable',
    operation:
      'query ($of: String = "x") { hits { ... on Novel { owner { owns { shade } } } ... on Comic { owner { owns { condition(of: $of) } } } } }',
    fails: 'condition(x) of c2',
    data: { hits: [{ owner: { owns: SHADES } }, { owner: { owns: [{ condition: 1 }, null] } }] },
    errors: ['hits.1.owner.owns.1.condition'],
  },
  {
    name: 'branches that select a field for different types',
    operation:
      '{ hits { ... on Novel { owner { things { code ... on Toy { age } } } } ... on Comic { owner { things { age } } } } }',
    fails: 'age of c2',
    data: {
      hits: [
        { owner: { things: [{ code: 'c1', age: 3 }, { code: 'c2' }] } },
        { owner: { things: [{ age: 3 }, null] } },
      ],
    },
    errors: ['hits.1.owner.things.1.age'],
  },
  {
    name: 'the implementations of an interface object',
    operation: '{ works { ... on Novel { note } ... on Comic { cost } } }',
    fails: 'cost of 1',
    data: { works: [{ note: 'note of 1' }, { cost: 1.5 }] },
    errors: [],
  },
  {
    name: 'branches of which one needs a later lookup',
    operation: '{ hits { ... on Novel { owner { owns { hint } } } ... on Comic { owner { owns { condition } } } } }',
    fails: 'condition of c2',
    data: {
      hits: [{ owner: { owns: [{ hint: 'hint of c1' }, { hint: 'hint of c2' }] } }, { owner: { owns: CONDITIONS } }],
    },
    errors: ['hits.1.owner.owns.1.condition'],
  },
  {
    name: 'branches of which one requires it for a field of another subgraph',
    operation: '{ hits { ... on Novel { owner { owns { hint } } } ... on Comic { owner { owns { insured } } } } }',
    fails: 'condition of c2',
    data: {
      hits: [
        { owner: { owns: [{ hint: 'hint of c1' }, { hint: 'hint of c2' }] } },
        { owner: { owns: [{ insured: 100 }, { insured: null }] } },
      ],
    },
    errors: ['hits.1.owner.owns.1.insured'],
  },
  {
    name: 'branches of several lookups in one request',
    operation: `{
      a: hits { ... on Novel { owner { owns { shade } } } ... on Comic { owner { owns { condition } } } }
      b: hits { ... on Novel { owner { owns { condition } } } ... on Comic { owner { owns { shade } name } } }
    }`,
    fails: 'condition of c2',
    data: {
      a: [{ owner: { owns: SHADES } }, { owner: { owns: CONDITIONS } }],
      b: [{ owner: { owns: CONDITIONS } }, { owner: { owns: SHADES, name: 'Person 2' } }],
    },
    errors: ['a.1.owner.owns.1.condition', 'b.0.owner.owns.1.condition'],
  },
];

describe('a non-null field that fails', () => {
  it.each(CASES)('has no effect where it is not selected, in $name', async ({ operation, fails, data, errors }) => {
    failing.add(fails);
    const expected = errors.map((path) => `PROVIDER_UNAVAILABLE at ${path}`);
    const result = await execute(operation);
    expect({ ...result, errors: [...result.errors].sort() }).toEqual({ data, errors: expected });
  });

  const MERGED = '{ hits { ... on Novel { owner { owns { shade } } } ... on Comic { owner { owns { condition } } } } }';

  it('is looked up again once, without the fields of the other branch', async () => {
    failing.add('condition of c2');
    await execute(MERGED);
    expect(sent).toHaveLength(2);
    expect(sent[0]).toContain('condition');
    expect(sent[1]).not.toContain('condition');
  });

  it('is not looked up again when every branch selects it', async () => {
    failing.add('condition of c2');
    await execute(
      '{ hits { ... on Novel { owner { owns { condition } } } ... on Comic { owner { owns { condition } } } } }',
    );
    expect(sent).toHaveLength(1);
  });

  it('is not looked up again when its object is not null, because the field is nullable', async () => {
    failing.add('shade of c2');
    const result = await execute(MERGED);
    expect(result.errors).toEqual(['PROVIDER_UNAVAILABLE at hits.0.owner.owns.1.shade']);
    expect(sent).toHaveLength(1);
  });

  it('is reported when it is selected and only the repeated lookup reveals it', async () => {
    failing.add('condition of c2').add('condition(x) of c2');
    const { data, errors } = await execute(
      '{ hits { ... on Novel { owner { owns { condition(of: "x") } } } ... on Comic { owner { owns { y: condition } } } } }',
    );
    expect(data).toEqual({
      hits: [{ owner: { owns: [{ condition: 1 }, null] } }, { owner: { owns: [{ y: 0 }, null] } }],
    });
    expect([...errors].sort()).toEqual([
      'PROVIDER_UNAVAILABLE at hits.0.owner.owns.1.condition',
      'PROVIDER_UNAVAILABLE at hits.1.owner.owns.1.y',
    ]);
    expect(sent.length).toBeLessThanOrEqual(3);
  });

  it.each([
    ['the repeated lookup fails as a whole', { responding: 1 }],
    ['it does not find the object', { finding: 2 }],
  ])('leaves the first response when %s', async (_, limits) => {
    failing.add('condition of c2');
    Object.assign(subgraphs, limits);
    const { data, errors } = await execute(MERGED);
    expect(data).toEqual({ hits: [{ owner: { owns: [SHADES[0], null] } }, { owner: { owns: CONDITIONS } }] });
    expect(errors).toEqual([
      'PROVIDER_UNAVAILABLE at hits.0.owner.owns.1',
      'PROVIDER_UNAVAILABLE at hits.1.owner.owns.1.condition',
    ]);
  });
});
