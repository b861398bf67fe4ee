import type { PlanNode } from '@graphql-hive/router-query-planner';
import { buildSchema, type GraphQLObjectType, parse } from 'graphql';
import pino from 'pino';
import { createRequestContext } from '../../../src/auth/request-context';
import { createFieldCollector } from '../document/collect-fields';
import type { SubgraphResult } from '../subgraph/subgraph-transport';
import { compilePlan } from './compile-plan';
import type { ExecutionState } from './execution-state';
import { readSupergraphFacts } from '../supergraph-facts';

const SDL = `type Query { things: [Thing] } interface Thing { id: ID! } type A implements Thing { id: ID! tag: String } type B implements Thing { id: ID! tag: Int }`;
const schema = buildSchema(SDL);
const facts = readSupergraphFacts(parse(SDL), schema);
const rootType = schema.getQueryType() as GraphQLObjectType;
const caller = { schema, rootType, selections: [], fieldsOf: createFieldCollector(schema) };

interface Sent {
  readonly operation: string;
  readonly variables: Record<string, unknown>;
}

async function runPlan(
  node: unknown,
  responses: Record<string, SubgraphResult>,
  variables = {},
): Promise<ExecutionState & { sent: Sent[] }> {
  const sent: Sent[] = [];
  const transport = {
    compile: (operation: string) => (given: Record<string, unknown>) => {
      sent.push({ operation, variables: structuredClone(given) });
      return responses[operation] ?? { data: {} };
    },
  };
  const { run } = compilePlan(
    { transports: { s: transport }, facts, caller, log: pino({ level: 'silent' }) },
    node as PlanNode,
  );
  const context = createRequestContext({ requestId: 'r', principal: undefined, signal: new AbortController().signal });
  const state: ExecutionState = {
    variables,
    context,
    data: {},
    introspection: {},
    errors: [],
    violated: false,
    repeatedLookups: 0,
  };
  await run(state);
  return { ...state, sent };
}

const fetch = (operation: string, others = {}) => ({
  kind: 'Fetch',
  serviceName: 's',
  operationKind: 'query',
  operation,
  ...others,
});
const requires = [{ kind: 'InlineFragment', typeCondition: 'A', selections: [{ kind: 'Field', name: 'id' }] }];

describe('a compiled plan', () => {
  it('sends the variables that a fetch uses and that have a value', async () => {
    const { sent } = await runPlan(fetch('{x}', { variableUsages: ['a', 'b', 'c'] }), {}, { a: 1, b: null, d: 4 });
    expect(sent).toEqual([{ operation: '{x}', variables: { a: 1, b: null } }]);
  });

  it('follows conditions, whose absent branch is null', async () => {
    const node = {
      kind: 'Sequence',
      nodes: [
        { kind: 'Condition', condition: 'c', ifClause: fetch('{a}') },
        { kind: 'Condition', condition: 'c', ifClause: null, elseClause: { kind: 'Sequence', nodes: [fetch('{b}')] } },
      ],
    };
    expect((await runPlan(node, {}, { c: true })).sent.map(({ operation }) => operation)).toEqual(['{a}']);
    expect((await runPlan(node, {}, { c: false })).sent.map(({ operation }) => operation)).toEqual(['{b}']);
  });

  it('restores keys that were renamed for the subgraph, in data and in errors', async () => {
    const operation = '{things{__typename ...on A{tag} ...on B{_internal_qp_alias_0: tag}}}';
    const outputRewrites = [
      {
        KeyRenamer: {
          path: [{ Key: 'things' }, { TypenameEquals: ['B'] }, { Key: '_internal_qp_alias_0' }],
          renameKeyTo: 'tag',
        },
      },
    ];
    const response = {
      data: { things: [{ __typename: 'A', tag: 'x' }, { __typename: 'B', _internal_qp_alias_0: 2 }, null] },
      errors: [{ message: 'no', path: ['things', 1, '_internal_qp_alias_0'] }],
    };
    const { data, errors } = await runPlan(fetch(operation, { outputRewrites }), { [operation]: response });
    expect(data).toMatchObject({ things: [{ __typename: 'A', tag: 'x' }, { __typename: 'B', tag: 2 }, null] });
    expect(errors.map(({ path }) => path)).toEqual([['things', 1, 'tag']]);
  });

  it('passes type conditions of a path, also those on the root and on abstract types', async () => {
    const path = [{ TypeCondition: ['Query'] }, { Field: 'things' }, '@', { TypeCondition: ['Thing'] }];
    const operation = 'query($representations:[_Any!]!){_entities(representations: $representations){...on A{tag}}}';
    const node = {
      kind: 'Sequence',
      nodes: [fetch('{things{__typename id}}'), { kind: 'Flatten', path, node: fetch(operation, { requires }) }],
    };
    const { sent, data } = await runPlan(node, {
      '{things{__typename id}}': {
        data: {
          things: [
            { __typename: 'A', id: '1' },
            [
              { __typename: 'A', id: '2' },
              { __typename: 'X', id: '3' },
            ],
            null,
          ],
        },
      },
      [operation]: { data: { _entities: [{ tag: 'one' }, { tag: 'two' }] } },
    });
    expect(sent[1]?.variables).toEqual({
      representations: [
        { __typename: 'A', id: '1' },
        { __typename: 'A', id: '2' },
      ],
    });
    expect(data).toMatchObject({ things: [{ tag: 'one' }, [{ tag: 'two' }, { id: '3' }], null] });
  });

  describe('with several lookups in one request', () => {
    const operation =
      'query($r0:[_Any!]!,$r1:[_Any!]!){_e0:_entities(representations:$r0){...on A{tag}} _e1:_entities(representations:$r1){...on A{id}} _e2:_entities(representations:$r0){...on A{more:tag}}}';
    const alias = (name: string, variable: string, paths: unknown) => ({
      alias: name,
      representationsVariableName: variable,
      paths,
      requires,
    });
    const one = [[{ Field: 'a' }], [{ Field: 'list' }, '@']];
    const node = {
      kind: 'Sequence',
      nodes: [
        fetch('{root}'),
        {
          kind: 'BatchFetch',
          serviceName: 's',
          operationKind: 'query',
          operation,
          entityBatch: {
            aliases: [alias('_e0', 'r0', one), alias('_e1', 'r1', [[{ Field: 'none' }]]), alias('_e2', 'r0', one)],
          },
        },
      ],
    };
    const rootShape = '{root}';

    it('sends each list once, empty ones too, and merges each alias', async () => {
      const data = {
        a: { __typename: 'A', id: '1' },
        list: [
          { __typename: 'A', id: '1' },
          { __typename: 'A', id: '2' },
        ],
      };
      const root = { kind: 'Sequence', nodes: [fetch('{a{__typename id} list{__typename id}}'), node.nodes[1]] };
      const {
        sent,
        data: merged,
        errors,
      } = await runPlan(root, {
        '{a{__typename id} list{__typename id}}': { data },
        [operation]: {
          data: { _e0: [{ tag: 'x' }, { tag: 'y' }], _e1: [], _e2: [{ more: 'm' }, null] },
          errors: [
            { message: 'late', path: ['_e2', 1, 'more'] },
            { message: 'all', path: ['elsewhere'] },
            { message: 'first', path: ['_e0', 0, 'tag'] },
          ],
        },
      });
      expect(sent[1]?.variables).toEqual({
        r0: [
          { __typename: 'A', id: '1' },
          { __typename: 'A', id: '2' },
        ],
        r1: [],
      });
      expect(merged).toMatchObject({ a: { tag: 'x', more: 'm' }, list: [{ tag: 'x', more: 'm' }, { tag: 'y' }] });
      expect(errors.map(({ error, path }) => `${error.message} ${String(path)}`).sort()).toEqual([
        'all a',
        'first a,tag',
        'first list,0,tag',
        'late list,1,more',
      ]);
    });

    it('sends nothing when every list is empty', async () => {
      const { sent } = await runPlan(node, {});
      expect(sent.map(({ operation: text }) => text)).toEqual([rootShape]);
    });
  });

  it('refuses invalid plans', () => {
    const compile = (node: unknown) => () =>
      compilePlan({ transports: {}, facts, caller, log: pino({ level: 'silent' }) }, node as PlanNode);
    expect(compile({ kind: 'Flatten', path: [], node: { kind: 'Sequence', nodes: [] } })).toThrow('Flatten');
    expect(compile({ kind: 'Defer' })).toThrow('Defer');
    expect(compile(fetch('{x}'))).toThrow('no transport leads to the subgraph s');
  });
});
