import { mapSchema, MapperKind, pruneSchema } from '@graphql-tools/utils';
import { type GraphQLField, type GraphQLSchema } from 'graphql';
import { InvariantError } from '../../src/errors/invariant-error';
import type { RestRoute } from './route-table';

/** The part of the public schema that the routes show: their root fields, and what these reach. */
export function restView(schema: GraphQLSchema, routes: readonly RestRoute[]): GraphQLSchema {
  const shown = new Set<string>(routes.map(({ operation }) => operation));
  const view = mapSchema(schema, {
    [MapperKind.ROOT_FIELD]: (field, name, typeName) => (shown.has(`${typeName}.${name}`) ? field : null),
    // A link of the graph takes arguments or leads to another entity: REST has routes for that.
    [MapperKind.OBJECT_FIELD]: (field) =>
      field.args !== undefined && Object.keys(field.args).length > 0 ? null : field,
  });
  return pruneSchema(view);
}

/** The root field that answers a route. */
export function rootField(schema: GraphQLSchema, operation: RestRoute['operation']): GraphQLField<unknown, unknown> {
  const [typeName, fieldName] = operation.split('.') as [string, string];
  const root = typeName === 'Query' ? schema.getQueryType() : schema.getMutationType();
  const field = root?.getFields()[fieldName];
  if (field === undefined) throw new InvariantError(`the schema has no ${operation}, which the route table names`);
  return field;
}
