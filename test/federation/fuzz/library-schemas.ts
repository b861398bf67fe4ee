import { buildSubgraphSchema } from '@apollo/subgraph';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { type GraphQLSchema, isAbstractType, isObjectType, parse } from 'graphql';
import { libraryResolvers, type FailureInjection, work } from './library-resolvers';
import { MONOLITH_SDL, SUBGRAPH_SDL } from './library-sdl';

export type SubgraphName = keyof typeof SUBGRAPH_SDL;
export const SUBGRAPH_NAMES = Object.keys(SUBGRAPH_SDL) as SubgraphName[];

type Reference = Readonly<Record<string, unknown>>;
const typeNameOf = ({ __typename: name }: Reference): string => String(name);

export function buildMonolith(injection: FailureInjection): GraphQLSchema {
  return attachResolvers(makeExecutableSchema({ typeDefs: MONOLITH_SDL }), injection);
}

export function buildSubgraph(name: SubgraphName, injection: FailureInjection): GraphQLSchema {
  const schema = buildSubgraphSchema([{ typeDefs: parse(SUBGRAPH_SDL[name]), resolvers: {} }]);
  const entities = schema.getQueryType()?.getFields()['_entities'];
  if (entities !== undefined) {
    entities.resolve = (_source, { representations }: { representations: readonly Reference[] }) =>
      representations.map(entityOf);
  }
  return attachResolvers(schema, injection);
}

/** A reference can name the interface. Its owner resolves the type of the object. */
function entityOf(reference: Reference): Reference {
  if (reference['__typename'] !== 'Work') return reference;
  const number = Number.parseInt(String(reference['id']).slice(1), 10);
  return work(number);
}

function attachResolvers(schema: GraphQLSchema, injection: FailureInjection): GraphQLSchema {
  const resolvers = libraryResolvers(injection);
  for (const type of Object.values(schema.getTypeMap())) {
    if (isAbstractType(type)) type.resolveType = (value: Reference) => entityType(schema, typeNameOf(value));
    if (!isObjectType(type)) continue;
    for (const [name, field] of Object.entries(type.getFields())) {
      const resolve = resolvers[type.name]?.[name];
      if (resolve !== undefined) field.resolve = (source: Reference, given: Reference) => resolve(source, given);
    }
  }
  return schema;
}

/** The name of the type, or `Work` in a schema that declares the interface as an object and has no implementations. */
const entityType = (schema: GraphQLSchema, name: string): string =>
  isObjectType(schema.getType(name)) ? name : 'Work';
