import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { buildSchema, executeSync, getIntrospectionQuery, Kind, parse, type DocumentNode } from 'graphql';
import { PROJECT_ROOT } from '../../../src/config/project-root';
import { countIntrospectedValues, MAX_INTROSPECTED_VALUES } from './introspection-size';

const schema = buildSchema(readFileSync(path.join(PROJECT_ROOT, 'gateway/api.graphql'), 'utf8'));

function count(document: DocumentNode, variables = {}): number {
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)!;
  const fields = operation.selectionSet.selections.filter((selection) => selection.kind === Kind.FIELD);
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return countIntrospectedValues(schema, { operation, fields, fragments, variables });
}

/** Values of a response: each property, and each item of a list. */
function valuesIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + 1 + valuesIn(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, inner) => sum + 1 + valuesIn(inner), 0);
}

const aliased = (levels: readonly string[], aliases: number): string =>
  levels.reduceRight(
    (inner, field, level) =>
      Array.from({ length: aliases }, (_, i) => `a${level}_${i}: ${field} { ${inner} }`).join(' '),
    'name',
  );

describe('the size of introspection', () => {
  it('leaves room for the queries of tools', () => {
    const values = count(
      parse(getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true, oneOf: true })),
    );
    expect(values).toBeLessThan(MAX_INTROSPECTED_VALUES / 2);
  });

  it('is an upper bound of the values of the response', () => {
    const leaf = fc.constantFrom('name', 'kind', 'description');
    const type = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc
          .tuple(fc.constantFrom('fields(includeDeprecated: true)', 'inputFields', 'x: fields'), tie('node'))
          .map(([field, below]) => `${field} { name type { name ${below} } }`),
        fc
          .tuple(fc.constantFrom('ofType', '... on __Type'), tie('node'))
          .map(([field, below]) => `${field} { ${below} }`),
      ),
    })).node;
    fc.assert(
      fc.property(type, fc.constantFrom('Query', 'Action', 'SwapOutput', 'nothing'), (selection, name) => {
        const document = parse(
          `query ($n: String!) { __type(name: $n) { ...T } } fragment T on __Type { ${selection} }`,
        );
        const { data } = executeSync({ schema, document, variableValues: { n: name } });
        expect(count(document, { n: name })).toBeGreaterThanOrEqual(valuesIn(data));
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['aliased lists in lists', `{ __schema { ${aliased(['types', 'fields', 'type'], 33)} } }`],
    [
      'aliased types',
      `{ ${Array.from({ length: 40 }, (_, i) => `t${i}: __type(name: "Query") { ${aliased(['fields', 'args'], 5)} }`).join(' ')} }`,
    ],
    [
      'fragments that double',
      `{ __schema { types { ...F0 } } } ${Array.from({ length: 30 }, (_, i) => `fragment F${i} on __Type { ...F${i + 1} ...F${i + 1} }`).join(' ')} fragment F30 on __Type { name }`,
    ],
    [
      'a type named by the default of a variable',
      `query ($n: String! = "Query") { __type(name: $n) { ${aliased(['fields', 'args', 'type'], 33)} } }`,
    ],
  ])('is refused for %s, which would take minutes multiplied out', (_name, source) => {
    expect(() => count(parse(source))).toThrow(`${MAX_INTROSPECTED_VALUES} introspected values`);
  });

  it('counts the default of a variable that the request does not give', () => {
    const source = (name: string) =>
      `query ($n: String! = "${name}", $all: Boolean = true) { __type(name: $n) { fields(includeDeprecated: $all) { name } } }`;
    const literal = '{ __type(name: "Query") { fields(includeDeprecated: true) { name } } }';
    expect(count(parse(source('Query')))).toBe(count(parse(literal)));
    expect(count(parse(source('nothing')), { n: 'Query' })).toBe(count(parse(literal)));
  });

  it('counts a missing variable as no type', () => {
    expect(count(parse('query ($n: String!) { __type(name: $n) { name } }'))).toBe(2);
  });
});
