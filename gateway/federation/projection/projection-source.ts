import type { GraphQLObjectType, GraphQLSchema } from 'graphql';
import type { Selections } from '../document/operation-tree';
import type { SupergraphFacts } from '../supergraph-facts';
import type { CollectFields } from './collect-fields';

/** True where a null is part of the contract. Asked per type and field of the public schema. */
export type KeepNull = (typeName: string, fieldName: string) => boolean;

export interface ProjectionSource {
  /** Public schema. */
  readonly schema: GraphQLSchema;
  readonly facts: SupergraphFacts;
  readonly rootType: GraphQLObjectType;
  readonly selections: readonly Selections[];
  readonly fieldsOf: CollectFields;
  readonly output: 'json' | 'object';
  /** Without it every null stays. */
  readonly keepNull: KeepNull | undefined;
}
