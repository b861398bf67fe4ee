import { validate } from 'graphql';
import type { FederatedGraph } from '../../gateway/federation/federated-graph';
import { inProcessTransport, type SubgraphTransport } from '../../gateway/federation/subgraph/subgraph-transport';
import { serviceError } from '../../src/errors/service-error';
import { FOREVER_MS, smallGraph, type SmallSubgraph, subgraphSchema } from './small-graph';

/** Fields that fail, such as `condition of c2` and `condition(x) of c2`. */
export const failing = new Set<string>();
/** Operations that the subgraphs `people` and `shop` received. */
export const sent: string[] = [];
/** Why those operations are invalid. */
export const invalid: string[] = [];
/**
 * `responding`: number of requests that the subgraphs respond to. Later ones fail as a whole.
 * `finding`: number of people that are found. Later ones are null.
 */
export const subgraphs = { responding: Infinity, finding: Infinity };

interface Source {
  readonly code: string;
}
interface Given {
  readonly of?: string;
}

const orFail =
  <Value>(field: string, value: (source: Source, given: Given) => Value) =>
  (source: Source, given: Given): Value => {
    const call = given.of === undefined ? field : `${field}(${given.of})`;
    if (!failing.has(`${call} of ${source.code}`)) return value(source, given);
    throw serviceError('PROVIDER_UNAVAILABLE', { provider: call, reason: 'test' });
  };

const same = (reference: object): object => reference;
const copies = [{ code: 'c1' }, { code: 'c2' }];

const catalog: SmallSubgraph = {
  sdl: `
    type Query { hits: [Hit!] twins: [Hit!] works: [Work!] rows: [[Hit!]] }
    union Hit = Novel | Comic
    interface Work @key(fields: "id") { id: ID! }
    type Novel implements Work @key(fields: "id") { id: ID! owner: Person }
    type Comic implements Work @key(fields: "id") { id: ID! owner: Person }
    type Person @key(fields: "id") { id: ID! }`,
  resolvers: {
    Query: {
      hits: () => [novel('1'), comic('2')],
      twins: () => [novel('1'), comic('1')],
      works: () => [
        { __typename: 'Novel', id: '1' },
        { __typename: 'Comic', id: '2' },
      ],
      rows: () => [[novel('1')], [comic('2'), novel('3')]],
    },
  },
};
const novel = (id: string): object => ({ __typename: 'Novel', id: `n${id}`, owner: { id } });
const comic = (id: string): object => ({ __typename: 'Comic', id: `k${id}`, owner: { id } });

const people: SmallSubgraph = {
  sdl: `
    type Person @key(fields: "id") { id: ID! name: String first: Copy! owns: [Copy] shelves: [[Copy!]] things: [Thing] }
    interface Thing { code: ID! age: Int! }
    type Toy implements Thing { code: ID! age: Int! }
    type Tool implements Thing { code: ID! age: Int! }
    type Copy @key(fields: "code") { code: ID! condition(of: String): Int! shade: String }`,
  resolvers: {
    Person: {
      __resolveReference: (reference: object) => {
        subgraphs.finding -= 1;
        return subgraphs.finding < 0 ? null : reference;
      },
      name: ({ id }: { id: string }) => `Person ${id}`,
      first: () => copies[0],
      owns: () => copies,
      shelves: () => [[copies[0]], [copies[1], copies[0]]],
      things: () => [
        { __typename: 'Toy', code: 'c1' },
        { __typename: 'Tool', code: 'c2' },
      ],
    },
    Toy: { age: orFail('age', () => 3) },
    Tool: { age: orFail('age', () => 4) },
    Copy: {
      __resolveReference: same,
      condition: orFail('condition', (_source, { of = '' }) => of.length),
      shade: orFail('shade', ({ code }) => `shade of ${code}`),
    },
  },
};
const shop: SmallSubgraph = {
  sdl: `
    type Copy @key(fields: "code") {
      code: ID!
      hint: String
      condition(of: String): Int! @external
      insured: Int @requires(fields: "condition")
    }
    type Work @key(fields: "id") @interfaceObject { id: ID! cost: Float! note: String }`,
  resolvers: {
    Copy: {
      __resolveReference: same,
      hint: ({ code }: { code: string }) => `hint of ${code}`,
      insured: ({ condition }: { condition: number }) => condition + 100,
    },
    Work: {
      __resolveReference: ({ id }: { id: string }) => ({ code: id, id }),
      cost: orFail('cost', () => 1.5),
      note: ({ id }: { id: string }) => `note of ${id}`,
    },
  },
};

function recorded(subgraph: SmallSubgraph): SmallSubgraph {
  const schema = subgraphSchema(subgraph);
  const { compile } = inProcessTransport(schema, { timeoutMs: FOREVER_MS });
  const transport: SubgraphTransport = {
    compile(operation, document, kind) {
      const call = compile(operation, document, kind);
      const problems = validate(schema, document).map(({ message }) => message);
      return (variables, context) => {
        sent.push(operation);
        invalid.push(...problems);
        if (sent.length > subgraphs.responding) throw serviceError('SUBREQUEST_TIMEOUT');
        return call(variables, context);
      };
    },
  };
  return { ...subgraph, transport };
}

/** A graph whose branches lead to the same entities: works of a union, their owners, and the copies that these own. */
export const branchingGraph = (): Promise<FederatedGraph> =>
  smallGraph({ catalog, people: recorded(people), shop: recorded(shop) });
