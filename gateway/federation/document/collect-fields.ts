import {
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLUnionType,
  isAbstractType,
  isUnionType,
} from 'graphql';
import type { FieldSelection, Selections } from './operation-tree';

export type CompositeType = GraphQLObjectType | GraphQLInterfaceType | GraphQLUnionType;

/** The selections of an operation under one response key of an object. */
export interface CollectedField {
  readonly field: FieldSelection;
  /** Selections below the field, in the order of the document. */
  readonly below: readonly Selections[];
}

export type CollectedFields = ReadonlyMap<string, CollectedField>;

/** Collects fields, and caches them by the identity of `levels`. */
export type CollectFields = (type: CompositeType, levels: readonly Selections[]) => CollectedFields;

export function createFieldCollector(schema: GraphQLSchema): CollectFields {
  const cached = new WeakMap<readonly Selections[], Map<CompositeType, CollectedFields>>();
  return (type, levels) => {
    const byType = cached.get(levels) ?? new Map<CompositeType, CollectedFields>();
    cached.set(levels, byType);
    const fields = byType.get(type) ?? collectFields(schema, type, levels);
    byType.set(type, fields);
    return fields;
  };
}

/** Collects the fields of an object in response order, as the specification defines. */
function collectFields(schema: GraphQLSchema, type: CompositeType, levels: readonly Selections[]): CollectedFields {
  const collected = new Map<string, { field: FieldSelection; below: Selections[] }>();
  const collect = (selections: Selections): void => {
    for (const selection of selections) {
      if (selection.kind === 'type') {
        if (applies(schema, type, selection.typeCondition)) collect(selection.selections);
        continue;
      }
      let known = collected.get(selection.responseKey);
      if (known === undefined) collected.set(selection.responseKey, (known = { field: selection, below: [] }));
      const { selections: below } = selection;
      if (below !== undefined && !known.below.includes(below)) known.below.push(below);
    }
  };
  levels.forEach(collect);
  return collected;
}

function applies(schema: GraphQLSchema, type: CompositeType, typeCondition: string | undefined): boolean {
  if (typeCondition === undefined || typeCondition === type.name) return true;
  const condition = schema.getType(typeCondition);
  return isAbstractType(condition) && !isUnionType(type) && schema.isSubType(condition, type);
}

/** `undefined` for `__typename`, and for the introspection fields of the root. */
export function definitionOf(type: CompositeType, field: FieldSelection): GraphQLField<unknown, unknown> | undefined {
  return isUnionType(type) ? undefined : type.getFields()[field.name];
}
