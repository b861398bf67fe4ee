import {
  getNamedType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  isObjectType,
} from 'graphql';
import { type CollectFields, definitionOf } from '../document/collect-fields';
import type { Selections } from '../document/operation-tree';
import type { ResponsePath } from '../formatted-error';
import type { DataObject } from './merge';

/** The operation of the caller. */
export interface CallerSelections {
  /** Public schema. */
  readonly schema: GraphQLSchema;
  readonly rootType: GraphQLObjectType;
  readonly selections: readonly Selections[];
  readonly fieldsOf: CollectFields;
}

/** The caller's selections for the objects at a place. */
export interface SelectedPlace {
  /** The types that the objects can have. */
  readonly types: readonly GraphQLObjectType[];
  readonly levels: readonly Selections[];
}

/** The way to an object of the data. The caller selects the same fields for all objects of a branch. */
export interface Branch {
  /** Keys of the data. */
  readonly keys: readonly string[];
  /** `__typename` of the object that has the key at the same index, and at last that of the object itself. */
  readonly typeNames: readonly unknown[];
}

export function branchAt(data: DataObject, path: ResponsePath): Branch {
  const keys: string[] = [];
  const typeNames: unknown[] = [];
  let value: unknown = data;
  for (const segment of path) {
    if (typeof segment === 'string') {
      keys.push(segment);
      typeNames.push((value as DataObject)['__typename']);
    }
    value = (value as Readonly<Record<string | number, unknown>>)[segment];
  }
  typeNames.push((value as DataObject)['__typename']);
  return { keys, typeNames };
}

/** `undefined` for objects that the caller does not select: only later lookups need them. */
export function selectedAt(operation: CallerSelections, { keys, typeNames }: Branch): SelectedPlace | undefined {
  let place: SelectedPlace | undefined = { types: [operation.rootType], levels: operation.selections };
  for (const [index, key] of keys.entries()) {
    if (place === undefined) return undefined;
    place = selectedBelow(operation, ofType(operation, place, typeNames[index]), key);
  }
  return place === undefined ? undefined : ofType(operation, place, typeNames[keys.length]);
}

/** The name of an interface, which a subgraph with an interface object returns, does not restrict the types. */
function ofType({ schema }: CallerSelections, place: SelectedPlace, typeName: unknown): SelectedPlace {
  const type = typeof typeName === 'string' ? schema.getType(typeName) : undefined;
  return isObjectType(type) ? { ...place, types: [type] } : place;
}

/** The caller's selections below a key of the data, for some of the types at least; `undefined` without any. */
export function selectedBelow(
  operation: CallerSelections,
  { types, levels }: SelectedPlace,
  key: string,
): SelectedPlace | undefined {
  const typesBelow = new Set<GraphQLObjectType>();
  const levelsBelow = new Set<Selections>();
  let isSelected = false;
  for (const type of types) {
    for (const { field, below } of operation.fieldsOf(type, levels).values()) {
      if (field.dataKey !== key) continue;
      isSelected = true;
      for (const each of below) levelsBelow.add(each);
      for (const each of possibleTypes(operation, definitionOf(type, field)?.type)) typesBelow.add(each);
    }
  }
  return isSelected ? { types: [...typesBelow], levels: [...levelsBelow] } : undefined;
}

function possibleTypes(
  { schema }: CallerSelections,
  declared: Parameters<typeof getNamedType>[0],
): readonly GraphQLObjectType[] {
  const type: GraphQLNamedType | undefined = getNamedType(declared);
  if (isAbstractType(type)) return schema.getPossibleTypes(type);
  return isObjectType(type) ? [type] : [];
}
