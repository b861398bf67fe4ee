import { buildSchema, getIntrospectionQuery, Kind, parse } from 'graphql';
import { createWellKnownIntrospection } from './well-known-introspection';

const known = createWellKnownIntrospection(buildSchema('type Query { a: Int }'));

function find(source: string) {
  const { definitions } = parse(source);
  const fields = definitions
    .flatMap((each) => (each.kind === Kind.OPERATION_DEFINITION ? each.selectionSet.selections : []))
    .filter((selection) => selection.kind === Kind.FIELD);
  return known.find(
    fields,
    definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION),
  );
}

describe('the well-known introspection', () => {
  it('is executed once, under any name of its operation and in any format', () => {
    const query = getIntrospectionQuery({ specifiedByUrl: true });
    const response = find(query)?.();
    expect(response).toMatchObject({ __schema: { queryType: { name: 'Query' } } });
    expect(find(query.replace('IntrospectionQuery', 'Other').replaceAll(/\s+/g, ' '))?.()).toBe(response);
    expect(find(getIntrospectionQuery({ descriptions: false }))?.()).not.toBe(response);
  });

  it('is no other document', () => {
    expect(find('{ __schema { queryType { name } } }')).toBeUndefined();
    expect(find(getIntrospectionQuery().replace('kind', 'kind k: kind'))).toBeUndefined();
    expect(find(getIntrospectionQuery().replace('__schema {', '__schema @include(if: $x) {'))).toBeUndefined();
  });
});
