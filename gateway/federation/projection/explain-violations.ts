import {
  getNullableType,
  type GraphQLOutputType,
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { Selections } from '../document/operation-tree';
import type { ResponsePath } from '../formatted-error';
import type { DataObject } from '../plan/merge';
import { type CollectedField, type CompositeType, definitionOf } from '../document/collect-fields';
import type { ProjectionSource } from './projection-source';

/** A position that is null because the data does not fit the schema. */
export interface Violation {
  readonly path: ResponsePath;
  readonly message: string;
}

interface Position {
  readonly type: GraphQLOutputType;
  readonly below: readonly Selections[];
  readonly path: ResponsePath;
  /** For the message. */
  readonly parent: string;
  readonly field: string;
}

type ExplainSource = Pick<ProjectionSource, 'schema' | 'facts' | 'rootType' | 'selections' | 'fieldsOf'>;

/**
 * Finds the positions that projection turned into null, and the reasons. It tracks paths and is slower, so it only runs after
 * projection has found a violation.
 */
export function explainViolations(source: ExplainSource, data: DataObject): readonly Violation[] {
  const found: Violation[] = [];
  const explainer = createExplainer(source, found);
  explainer.object({ type: source.rootType, below: source.selections, path: [], parent: '', field: '' }, data);
  return found;
}

/** Each function returns true when the value completes to something other than null. */
interface Explainer {
  object(position: Position & { readonly type: CompositeType }, value: DataObject): boolean;
  value(position: Position, value: unknown): boolean;
}

function createExplainer({ schema, facts, fieldsOf }: ExplainSource, found: Violation[]): Explainer {
  const violation = ({ path, parent, field }: Position, problem: string): false => {
    found.push({ path, message: `${problem} ${parent}.${field}` });
    return false;
  };

  const explainer: Explainer = {
    object: ({ type, below, path }, value) => {
      for (const collected of fieldsOf(type, below).values()) {
        const position = positionOf(type, collected, path);
        if (position !== undefined && !explainer.value(position, value[collected.field.dataKey])) {
          if (isNonNullType(position.type)) return false;
        }
      }
      return true;
    },
    value(position, value) {
      if (value !== null && value !== undefined)
        return present({ ...position, type: getNullableType(position.type) }, value);
      return isNonNullType(position.type) ? violation(position, 'Cannot return null for the non-null field') : false;
    },
  };

  const present = (position: Position, value: unknown): boolean => {
    const { type } = position;
    if (isListType(type)) return list(position, type.ofType, value);
    if (isLeafType(type)) {
      const isHidden =
        isEnumType(type) && facts.partlyHiddenEnums.has(type.name) && type.getValue(String(value)) === undefined;
      return !isHidden || violation(position, 'An inaccessible enum value was returned for the field');
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return violation(position, 'No object was returned for the field');
    return composite(position, type as CompositeType, value as DataObject);
  };

  const list = (position: Position, type: GraphQLOutputType, value: unknown): boolean => {
    if (!Array.isArray(value)) return violation(position, 'No list was returned for the field');
    let complete = true;
    value.forEach((item: unknown, index) => {
      const itemComplete = explainer.value({ ...position, type, path: [...position.path, index] }, item);
      if (!itemComplete && isNonNullType(type)) complete = false;
    });
    return complete;
  };

  const composite = (position: Position, type: CompositeType, value: DataObject): boolean => {
    if (isObjectType(type)) return explainer.object({ ...position, type }, value);
    const { __typename: name } = value;
    if (name === undefined) return explainer.object({ ...position, type }, value);
    const actual = typeof name === 'string' ? schema.getType(name) : undefined;
    if (isObjectType(actual) && schema.isSubType(type, actual))
      return explainer.object({ ...position, type: actual }, value);
    if (isAbstractType(actual) && facts.satisfies(actual.name, type.name))
      return explainer.object({ ...position, type }, value);
    return violation(position, 'An object of an inaccessible type was returned for the field');
  };
  return explainer;
}

function positionOf(type: CompositeType, { field, below }: CollectedField, path: ResponsePath): Position | undefined {
  const definition = definitionOf(type, field);
  if (definition === undefined) return undefined;
  return { type: definition.type, below, path: [...path, field.responseKey], parent: type.name, field: field.name };
}
