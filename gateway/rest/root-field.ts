import type { GraphQLField, GraphQLSchema } from 'graphql';
import { InvariantError } from '../../src/errors/invariant-error';
import type { RestRoute } from './route-table';

/** Finds the root field of a route's operation. */
export function rootField(schema: GraphQLSchema, operation: RestRoute['operation']): GraphQLField<unknown, unknown> {
  const [typeName, fieldName] = operation.split('.') as [string, string];
  const root = typeName === 'Query' ? schema.getQueryType() : schema.getMutationType();
  const field = root?.getFields()[fieldName];
  if (field === undefined) throw new InvariantError(`the schema has no ${operation}, which the route table names`);
  return field;
}
