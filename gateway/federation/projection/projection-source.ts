import type { GraphQLObjectType, GraphQLSchema } from 'graphql';
import type { Selections } from '../document/operation-tree';
import type { SupergraphFacts } from '../supergraph-facts';
import type { CollectFields } from '../document/collect-fields';

/** Whether a null is part of the API specification, for a type and field of the public schema. */
export type KeepNull = (typeName: string, fieldName: string) => boolean;

export interface ProjectionSource {
  /** Public schema. */
  readonly schema: GraphQLSchema;
  readonly facts: SupergraphFacts;
  readonly rootType: GraphQLObjectType;
  readonly selections: readonly Selections[];
  readonly fieldsOf: CollectFields;
  readonly output: 'json' | 'object';
  /** Without it every null is kept. */
  readonly keepNull: KeepNull | undefined;
}
