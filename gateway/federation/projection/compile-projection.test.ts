import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import { resolveOperation } from '../document/operation-tree';
import { readSupergraphFacts } from '../supergraph-facts';
import { createFieldCollector } from '../document/collect-fields';
import { compileProjection, type Projection } from './compile-projection';
import type { ProjectionSource } from './projection-source';

const SDL = `
  scalar Json
  enum Kind { SHOWN }
  type Query { one: Item all: [Item] sure: [Item!]! flags: [Boolean] grid: [[Int!]] thing: Thing kind: Kind json: Json text: String number: Float }
  type Item { id: ID! name: String label(x: Int): String inner: Item }
  interface Thing { id: ID! }
  type Tool implements Thing { id: ID! weight: Int }
  type Toy implements Thing { id: ID! colour: String }`;
const SUPERGRAPH = SDL.replace('{ SHOWN }', '{ SHOWN HIDDEN }') + ' type Secret implements Thing { id: ID! }';

const schema = buildSchema(SDL);
const facts = readSupergraphFacts(parse(SUPERGRAPH), schema);

function compile(source: string, options: Partial<ProjectionSource> = {}): Projection {
  const document = parse(source);
  const operation = document.definitions[0] as OperationDefinitionNode;
  const { selections } = resolveOperation({ document, operation, variables: {} }, facts);
  return compileProjection({
    schema,
    facts,
    rootType: schema.getQueryType()!,
    selections: [selections],
    fieldsOf: createFieldCollector(schema),
    output: 'json',
    keepNull: undefined,
    ...options,
  });
}

function project(source: string, data: Record<string, unknown>, options: Partial<ProjectionSource> = {}) {
  const state = { introspection: {}, violated: false };
  const json = compile(source, options)(data, state) as string | null;
  const object = compile(source, { ...options, output: 'object' })(data, { ...state });
  expect(json ?? 'null').toBe(JSON.stringify(object));
  return { json, violated: state.violated };
}

describe('projection', () => {
  it('writes the keys in the order of the operation, and nothing else', () => {
    const data = { text: 'x', extra: 1, one: { __typename: 'Item', name: 'n', mine: 'n', secret: 2, id: '1' } };
    expect(project('{ one { id __typename mine: name } text }', data).json).toBe(
      '{"one":{"id":"1","__typename":"Item","mine":"n"},"text":"x"}',
    );
    expect(project('{ one { id name } text }', data).json).toBe('{"one":{"id":"1","name":"n"},"text":"x"}');
  });

  it('escapes every string as JSON does', () => {
    for (const text of [
      '"',
      '\\',
      '\n',
      '\u0000',
      '\u2028',
      '\u007f',
      'é',
      '\ud800',
      '😀',
      '\ufeff',
      'x'.repeat(100),
      `${'x'.repeat(100)}"`,
    ]) {
      expect(project('{ text }', { text }).json).toBe(JSON.stringify({ text }));
    }
  });

  it('writes numbers and scalars as JSON does', () => {
    for (const number of [0, -0, 1.5, 1e21, 5e-324])
      expect(project('{ number }', { number }).json).toBe(JSON.stringify({ number }));
    expect(project('{ json }', { json: { a: [1, { b: null }] } }).json).toBe('{"json":{"a":[1,{"b":null}]}}');
    expect(project('{ flags }', { flags: [true, false, null] }).json).toBe('{"flags":[true,false,null]}');
  });

  it('makes absent and null fields null', () => {
    expect(project('{ one { id } all { id } text }', { one: null }).json).toBe('{"one":null,"all":null,"text":null}');
  });

  it('spreads a missing non-null value to the nearest position that can be null', () => {
    const result = project('{ one { name inner { id } } all { id } }', {
      one: { name: 'n', inner: {} },
      all: [{ id: '1' }, {}, null],
    });
    expect(result).toEqual({ json: '{"one":{"name":"n","inner":null},"all":[{"id":"1"},null,null]}', violated: true });
    expect(project('{ sure { id } }', { sure: [{ id: '1' }, null] })).toEqual({ json: null, violated: true });
    expect(project('{ grid }', { grid: [[1, null], [2]] })).toEqual({ json: '{"grid":[null,[2]]}', violated: true });
  });

  it('accepts neither an object for a list, nor a list or a leaf for an object', () => {
    for (const one of ['text', 5, true, [], [{ id: '1' }]]) {
      expect(project('{ one { id } }', { one })).toEqual({ json: '{"one":null}', violated: true });
    }
    expect(project('{ all { id } }', { all: { id: '1' } })).toEqual({ json: '{"all":null}', violated: true });
  });

  it('chooses fields by the type of the object, and by the static type when there is none', () => {
    const source = '{ thing { __typename ... on Tool { weight } ... on Toy { colour } id } }';
    expect(project(source, { thing: { __typename: 'Tool', id: '1', weight: 2, colour: 'red' } }).json).toBe(
      '{"thing":{"__typename":"Tool","weight":2,"id":"1"}}',
    );
    expect(project(source, { thing: { id: '1', weight: 2 } }).json).toBe('{"thing":{"__typename":"Thing","id":"1"}}');
    expect(project(source, { thing: { __typename: 'Thing', id: '1' } }).json).toBe(
      '{"thing":{"__typename":"Thing","id":"1"}}',
    );
  });

  it('hides objects of types and values of enums that are not public', () => {
    expect(project('{ thing { id } kind }', { thing: { __typename: 'Secret', id: '1' }, kind: 'HIDDEN' })).toEqual({
      json: '{"thing":null,"kind":null}',
      violated: true,
    });
    expect(project('{ kind }', { kind: 'SHOWN' }).json).toBe('{"kind":"SHOWN"}');
  });

  it('reads a field with arguments from the key under which it was planned', () => {
    expect(
      project('{ one { label(x: 1) other: label(x: 2) } }', { one: { label: 'wrong', label_2: 'a', other: 'b' } }).json,
    ).toBe('{"one":{"label":"a","other":"b"}}');
  });

  it('leaves nulls out unless they are kept, and never inside lists', () => {
    const keepNull = (type: string, field: string): boolean => type === 'Item' && field === 'name';
    const data = {
      one: { id: '1', name: null, inner: null },
      all: [null, { id: '2', inner: { name: 'x' } }],
      text: null,
    };
    const source = '{ text one { id name inner { name } } all { inner { id name } name } json }';
    expect(project(source, data, { keepNull }).json).toBe('{"one":{"id":"1","name":null},"all":[null,{"name":null}]}');
    expect(project('{ text }', {}, { keepNull }).json).toBe('{}');
    expect(project('{ text json kind }', { json: 1, kind: 'SHOWN' }, { keepNull }).json).toBe(
      '{"json":1,"kind":"SHOWN"}',
    );
  });

  it('writes one function for a fragment, however often it is spread', () => {
    const names = Array.from({ length: 30 }, (_, i) => `a${i}: one { ...F }`).join(' ');
    const nested = `{ ${names} } fragment F on Item { id inner { id inner { id inner { id } } } }`;
    expect(project(nested, { a0: { id: '1', inner: null } }).json).toContain('"a0":{"id":"1","inner":null}');
  });
});
