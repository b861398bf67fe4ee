import { buildSubgraphSchema } from '@apollo/subgraph';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { type GraphQLSchema, isAbstractType, isObjectType, parse } from 'graphql';
import { libraryResolvers, type Weather, work } from './library-resolvers';
import { MONOLITH_SDL, SUBGRAPH_SDL } from './library-sdl';

export type SubgraphName = keyof typeof SUBGRAPH_SDL;
export const SUBGRAPH_NAMES = Object.keys(SUBGRAPH_SDL) as SubgraphName[];

type Reference = Readonly<Record<string, unknown>>;
const typeNameOf = ({ __typename: name }: Reference): string => String(name);

export function buildMonolith(weather: Weather): GraphQLSchema {
  return attachResolvers(makeExecutableSchema({ typeDefs: MONOLITH_SDL }), weather);
}

export function buildSubgraph(name: SubgraphName, weather: Weather): GraphQLSchema {
  const schema = buildSubgraphSchema([{ typeDefs: parse(SUBGRAPH_SDL[name]), resolvers: {} }]);
  const entities = schema.getQueryType()?.getFields()['_entities'];
  if (entities !== undefined) {
    entities.resolve = (_source, { representations }: { representations: readonly Reference[] }) =>
      representations.map(entityOf);
  }
  return attachResolvers(schema, weather);
}

/** The owner of the interface knows of which type an object is; a reference to it names the interface. */
function entityOf(reference: Reference): Reference {
  if (reference['__typename'] !== 'Work') return reference;
  const number = Number.parseInt(String(reference['id']).slice(1), 10);
  return work(number);
}

function attachResolvers(schema: GraphQLSchema, weather: Weather): GraphQLSchema {
  const resolvers = libraryResolvers(weather);
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

/** Where the interface is declared as an object, its implementations are unknown. */
const entityType = (schema: GraphQLSchema, name: string): string =>
  isObjectType(schema.getType(name)) ? name : 'Work';
