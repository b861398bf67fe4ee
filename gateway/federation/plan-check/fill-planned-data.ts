import {
  type ArgumentNode,
  type FieldNode,
  type FloatValueNode,
  type FragmentDefinitionNode,
  type IntValueNode,
  Kind,
  print,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { responseKeyOf } from '../document/document-parts';
import type { SupergraphTypes } from '../supergraph-types';
import {
  addProblem,
  countSteps,
  common,
  newObject,
  OWN_TYPE,
  type PlannedData,
  type PlannedObject,
  type PlannedVariant,
  restrict,
  type TypeNames,
  variantsOf,
} from './planned-data';

/** Where the fields of a fetch come from. */
export interface FetchSource {
  readonly data: PlannedData;
  readonly types: SupergraphTypes;
  readonly subgraph: string;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Key in the response → key in the data. */
  readonly renames: ReadonlyMap<string, string>;
}

/** The objects that selections of a fetch apply to. */
export interface FilledPlace {
  readonly object: PlannedObject;
  readonly types: TypeNames;
  /** Paths in the representation that was sent for the objects. */
  readonly sent: ReadonlySet<string>;
  /** For messages. */
  readonly path: string;
}

const NOTHING_SENT: ReadonlySet<string> = new Set();

/** Adds the keys that the selections of a fetch fill. */
export function fillSelections(source: FetchSource, { selections }: SelectionSetNode, place: FilledPlace): void {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      for (const variant of variantsOf(source.data, place.object, place.types))
        fillField(source, selection, { ...place, variant });
      continue;
    }
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : source.fragments.get(selection.name.value);
    if (fragment === undefined) continue;
    const condition = fragment.typeCondition?.name.value;
    const types =
      condition === undefined
        ? place.types
        : common(place.types, source.types.possibleTypes(source.subgraph, condition));
    fillSelections(source, fragment.selectionSet, { ...place, types });
  }
}

interface FilledVariant extends FilledPlace {
  readonly variant: PlannedVariant;
}

function fillField(source: FetchSource, field: FieldNode, place: FilledVariant): void {
  const { variant, path } = place;
  if (!countSteps(source.data, 1)) return;
  const responseKey = responseKeyOf(field);
  if (responseKey === '__typename') {
    fillTypeName(source, variant);
    return;
  }
  checkRequired(source, field, place);
  const key = source.renames.get(responseKey) ?? responseKey;
  const at = `${path}.${key}`;
  const meaning = fieldMeaning(field);
  const known = variant.fields.get(key);
  if (known !== undefined && known.meaning !== meaning) addProblem(source.data, `${at} has several meanings`);
  if (field.selectionSet === undefined) {
    variant.fields.set(key, { meaning, below: undefined });
    return;
  }
  const types = typesBelow(source, field.name.value, variant.types);
  const below = known?.below ?? newObject(types);
  restrict(below, types);
  variant.fields.set(key, { meaning, below });
  fillSelections(source, field.selectionSet, { object: below, types, sent: NOTHING_SENT, path: at });
}

/** The name of an interface does not replace the type of an object; see `mergeObject`. */
function fillTypeName({ types, subgraph }: FetchSource, variant: PlannedVariant): void {
  const names = [...variant.types].map((name) => types.typeNameIn(subgraph, name));
  if (names.every((name) => variant.types.has(name))) variant.typeName = OWN_TYPE;
  else variant.typeName ??= names.find((name) => !variant.types.has(name));
}

function typesBelow({ types, subgraph }: FetchSource, field: string, parents: TypeNames): TypeNames {
  const names = [...parents].map((parent) => types.typeOfField(subgraph, parent, field));
  return new Set(names.flatMap((name) => (name === undefined ? [] : [...types.possibleTypes(subgraph, name)])));
}

/** A field with `@requires` needs a representation with the required fields. */
function checkRequired({ data, types, subgraph }: FetchSource, { name }: FieldNode, place: FilledVariant): void {
  for (const type of place.variant.types) {
    const missing = types.requiredPaths(subgraph, type, name.value).find((required) => !place.sent.has(required));
    if (missing !== undefined) addProblem(data, `${place.path}.${name.value} is fetched without ${missing}`);
  }
}

/** A field with its arguments, equal for equal values however they are written. */
export const fieldMeaning = ({ name, arguments: given = [] }: Pick<FieldNode, 'name' | 'arguments'>): string =>
  `${name.value}(${given.map(argumentText).sort().join()})`;

const argumentText = ({ name, value }: Pick<ArgumentNode, 'name' | 'value'>): string =>
  `${name.value}:${valueText(value)}`;

/** Equal for 1.50 and 1.5. Integers that a double cannot represent stay as they are. */
function numberText({ kind, value }: IntValueNode | FloatValueNode): string {
  const number = JSON.parse(value) as number;
  return kind === Kind.INT && !Number.isSafeInteger(number) ? value : String(number);
}

function valueText(value: ValueNode): string {
  switch (value.kind) {
    case Kind.LIST:
      return `[${value.values.map(valueText).join()}]`;
    case Kind.OBJECT:
      return `{${value.fields.map(argumentText).sort().join()}}`;
    case Kind.STRING:
      return JSON.stringify(value.value);
    case Kind.INT:
    case Kind.FLOAT:
      return numberText(value);
    default:
      return print(value);
  }
}
