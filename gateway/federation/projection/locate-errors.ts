import { getNamedType, isAbstractType, isCompositeType, isObjectType } from 'graphql';
import { clientPath } from '../document/client-path';
import type { Selections } from '../document/operation-tree';
import type { FormattedError, ResponsePath } from '../formatted-error';
import type { CollectedError } from '../plan/execution-state';
import type { DataObject } from '../plan/merge';
import { type CollectedField, type CompositeType, definitionOf } from '../document/collect-fields';
import type { ProjectionSource } from './projection-source';

type LocationSource = Pick<ProjectionSource, 'schema' | 'rootType' | 'selections' | 'fieldsOf'>;

/** A position along a path: the caller's selections and the data there. */
interface Place {
  readonly type: CompositeType | undefined;
  readonly levels: readonly Selections[];
  readonly value: unknown;
  /** In the keys of the response. */
  readonly path: ResponsePath;
}

/**
 * Converts the collected errors to errors with paths in the response.
 *
 * The path cannot name a field that the caller did not select, such as an input of `@requires`. Its error is reported at the
 * selected fields of the same object that are missing; without any, the error is dropped. When nothing of the object is
 * selected, because its type could not be looked up for example, it is reported at the object.
 */
export function locateErrors(
  source: LocationSource,
  data: DataObject,
  errors: readonly CollectedError[],
): FormattedError[] {
  return errors.flatMap(({ error, path, isExact }) => {
    if (path === undefined) return [error];
    if (!isExact) return [{ ...error, path: clientPath(source.selections, path) }];
    return locate(source, data, path).map((located) => (located.length === 0 ? error : { ...error, path: located }));
  });
}

function locate(source: LocationSource, data: DataObject, path: ResponsePath): readonly ResponsePath[] {
  let place: Place = { type: source.rootType, levels: source.selections, value: data, path: [] };
  for (const [index, segment] of path.entries()) {
    if (place.value === null || place.value === undefined) {
      return [[...place.path, ...clientPath(place.levels, path.slice(index))]]; // below a null there is no data, only selections
    }
    const next = typeof segment === 'number' ? itemOf(place, segment) : fieldOf(source, place, segment);
    if (next === undefined) return affectedPositions(source, place);
    place = next;
  }
  return [place.path];
}

function itemOf({ type, levels, value, path }: Place, index: number): Place {
  const item: unknown = Array.isArray(value) ? value[index] : undefined;
  return { type, levels, value: item, path: [...path, index] };
}

function fieldOf(source: LocationSource, place: Place, dataKey: string): Place | undefined {
  const { value, path } = place;
  for (const { field, below, type } of fieldsAt(source, place)) {
    if (field.dataKey !== dataKey) continue;
    const definition = definitionOf(type, field);
    const named = definition === undefined ? undefined : getNamedType(definition.type);
    return {
      type: isCompositeType(named) ? named : undefined,
      levels: below,
      value: (value as DataObject)[dataKey],
      path: [...path, field.responseKey],
    };
  }
  return undefined;
}

/** Positions for an error of a field that is not selected: the selected fields that it may have left without a value. */
function affectedPositions(source: LocationSource, place: Place): readonly ResponsePath[] {
  const { value, path } = place;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path];
  const selected = fieldsAt(source, place).filter(({ field }) => !field.name.startsWith('__'));
  if (selected.length === 0) return isExcluded(source, place) ? [] : [path];
  const missing = selected.filter(({ field }) => (value as DataObject)[field.dataKey] === undefined);
  return missing.map(({ field }) => [...path, field.responseKey]);
}

/** True when all fragments are for other types than that of the object, so that no field of it matters to the caller. */
function isExcluded({ schema }: LocationSource, { type, value }: Place): boolean {
  const { __typename: name } = value as DataObject;
  return isAbstractType(type) && typeof name === 'string' && isObjectType(schema.getType(name));
}

function fieldsAt(
  { schema, fieldsOf }: LocationSource,
  place: Place,
): readonly (CollectedField & { type: CompositeType })[] {
  if (place.type === undefined) return [];
  const { __typename: name } = place.value as DataObject;
  const actual = typeof name === 'string' ? schema.getType(name) : undefined;
  const type = isObjectType(actual) ? actual : place.type;
  return [...fieldsOf(type, place.levels).values()].map((collected) => ({ ...collected, type }));
}
