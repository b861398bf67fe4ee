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
 * Finds the positions that projection turned into null without an error that explains it, and the reasons. `isExplained`: true for
 * a path with an error. A null that spreads from several positions needs one error. It tracks paths and is slower, so it only
 * runs after projection has found a violation.
 */
export function explainViolations(
  source: ExplainSource,
  data: DataObject,
  isExplained: (path: ResponsePath) => boolean,
): readonly Violation[] {
  const found: Violation[] = [];
  const explainer = createExplainer(source, { found, isExplained });
  explainer.object({ type: source.rootType, below: source.selections, path: [], parent: '', field: '' }, data);
  return found;
}

/** Each function returns true when the value completes to something other than null. */
interface Explainer {
  object(position: Position & { readonly type: CompositeType }, value: DataObject): boolean;
  value(position: Position, value: unknown): boolean;
}

/** A field of an object, or an item of a list. */
interface Part {
  /** True when it completes to something other than null. */
  readonly isComplete: () => boolean;
  readonly isRequired: boolean;
}

/**
 * Completes the parts of an object or list. Returns false when one of them is null and must not be: then the whole is null. An
 * error of one part explains that, also for the others, which a subgraph leaves out. Without any, the first violation does.
 */
function completeAll(parts: readonly Part[], found: Violation[]): boolean {
  const before = found.length;
  let first: number | undefined;
  for (const { isComplete, isRequired } of parts) {
    const start = found.length;
    if (isComplete() || !isRequired) continue;
    if (found.length === start) {
      found.length = before;
      return false;
    }
    first ??= found.length;
  }
  found.length = first ?? found.length;
  return first === undefined;
}

interface Findings {
  readonly found: Violation[];
  readonly isExplained: (path: ResponsePath) => boolean;
}

function createExplainer({ schema, facts, fieldsOf }: ExplainSource, { found, isExplained }: Findings): Explainer {
  const violation = ({ path, parent, field }: Position, problem: string): false => {
    if (!isExplained(path)) found.push({ path, message: `${problem} ${parent}.${field}` });
    return false;
  };

  const explainer: Explainer = {
    object: ({ type, below, path }, value) =>
      completeAll(
        [...fieldsOf(type, below).values()].flatMap((collected) => {
          const position = positionOf(type, collected, path);
          return position === undefined ? [] : [partOf(position, value[collected.field.dataKey])];
        }),
        found,
      ),
    value(position, value) {
      if (value !== null && value !== undefined)
        return present({ ...position, type: getNullableType(position.type) }, value);
      return isNonNullType(position.type) ? violation(position, 'Cannot return null for the non-null field') : false;
    },
  };

  const partOf = (position: Position, value: unknown): Part => ({
    isComplete: () => explainer.value(position, value),
    isRequired: isNonNullType(position.type),
  });

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
    return completeAll(
      value.map((item: unknown, index) => partOf({ ...position, type, path: [...position.path, index] }, item)),
      found,
    );
  };

  const composite = (position: Position, type: CompositeType, value: DataObject): boolean => {
    const { __typename: name } = value;
    if (isObjectType(type) || name === undefined) return explainer.object({ ...position, type }, value);
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
