import fc from 'fast-check';
import { buildSchema, Kind, parse } from 'graphql';
import { createWellKnownIntrospection } from '../document/well-known-introspection';
import { compileOperationCost, MAX_UNITS } from './operation-cost';
import { readSchemaCosts } from './schema-costs';

const SDL = `
  directive @cost(weight: Int!) on OBJECT | FIELD_DEFINITION
  directive @listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!]) on FIELD_DEFINITION
  type Query {
    item: Item
    items(limit: Int): [Item!]! @listSize(assumedSize: 20, slicingArguments: ["limit"])
    page(limit: Int): Page @listSize(assumedSize: 20, slicingArguments: ["limit"], sizedFields: ["data"])
    heavy: Item @cost(weight: 7)
  }
  type Page { data: [Item!]! others: [Item!]! total: Int }
  type Item @cost(weight: 2) { id: ID part: Part parts: [Part!]! items(limit: Int): [Item!]! @listSize(assumedSize: 20, slicingArguments: ["limit"]) }
  type Part { name: String names: [String!]! item: Item }
`;
const schema = buildSchema(SDL);
const deps = {
  schema,
  costs: readSchemaCosts(parse(SDL)),
  wellKnownIntrospection: createWellKnownIntrospection(schema),
};

function compile(source: string) {
  const document = parse(source);
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)!;
  return compileOperationCost(deps, { document, operation });
}
const unitsOf = (source: string, variables = {}): number => compile(source)(variables).units;

test.each([
  ['{ __typename }', 0],
  ['{ item { id } }', 2],
  ['{ item { id part { name names } } }', 3],
  ['{ heavy { id } }', 7],
  ['{ item { parts { name } } }', 2 + 5],
  ['{ items { id } }', 20 * 2],
  ['{ items(limit: 3) { parts { name } } }', 3 * (2 + 5)],
  ['{ items(limit: 3) { a: part { name } b: part { name } } }', 3 * 4],
  ['{ page(limit: 3) { data { id } others { id } total } }', 1 + 3 * 2 + 5 * 2],
  ['{ page(limit: 3) { ...P x: data { id } } } fragment P on Page { data { id } }', 1 + 6 + 6],
  ['{ items(limit: -5) { id } }', 0],
  ['{ items(limit: 1000000) { id } }', 1000 * 2],
  ['{ items(limit: null) { id } }', 20 * 2],
  ['{ ... on Query { item @skip(if: true) { id } items(limit: 1) @include(if: true) { id } } }', 2],
])('%s costs %d units', (source, units) => {
  expect(unitsOf(source)).toBe(units);
});

test.each([
  [{ n: 4 }, 4 * 2],
  [{}, 6 * 2],
  [{ n: null }, 20 * 2],
  [{ n: 'x' }, 20 * 2],
  [{ n: 4, no: true }, 0],
])('variables %j decide on the size of lists and on conditions', (variables, units) => {
  const source = 'query ($n: Int = 6, $no: Boolean! = false) { items(limit: $n) @skip(if: $no) { id } }';
  expect(unitsOf(source, variables)).toBe(units);
});

test('each root field is at least one request, and one more for every 5,000 units', () => {
  expect(compile('{ a: item { id } b: item { id } __typename }')({}).requests).toBe(3);
  const pages = '{ items(limit: 1000) { items(limit: 3) { id } } item { id } }';
  expect(compile(pages)({})).toEqual({ units: 1000 * (2 + 3 * 2) + 2, requests: 2 + 1 });
});

test('an operation above the maximum is refused', () => {
  const source = 'query ($n: Int) { items(limit: 200) { items(limit: $n) { id } } }';
  expect(unitsOf(source, { n: 200 })).toBeLessThan(MAX_UNITS);
  expect(() => unitsOf(source, { n: 300 })).toThrow('The document exceeds the limit of 100000 units of cost');
});

test('the cost of fragments that double at every level is computed without expanding them', () => {
  const doubling = Array.from({ length: 60 }, (_, i) => `fragment F${i} on Item { ...F${i + 1} ...F${i + 1} }`).join(
    ' ',
  );
  expect(() => unitsOf(`{ item { ...F0 } } ${doubling} fragment F60 on Item { part { name } }`)).toThrow(
    'units of cost',
  );
});

test('a selection through fragments costs the same as written out', () => {
  const selection = fc.letrec<{ item: string }>((tie) => ({
    item: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('id', 'part { name }', 'parts { name }'),
      fc.tuple(fc.integer({ min: 0, max: 5 }), tie('item')).map(([n, below]) => `items(limit: ${n}) { id ${below} }`),
    ),
  })).item;
  fc.assert(
    fc.property(selection, selection, (a, b) => {
      const written = `{ items(limit: 2) { ${a} ${b} ${a} } }`;
      const spread = `{ items(limit: 2) { ...A ... { ...B } ... on Item { ...A } } }
        fragment A on Item { ${a} } fragment B on Item { ${b} }`;
      expect(unitsOf(spread)).toBe(unitsOf(written));
    }),
    { numRuns: 100 },
  );
});
