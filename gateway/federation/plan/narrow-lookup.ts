import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  print,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { fragmentsOf, responseKeyOf } from '../document/document-parts';
import type { Selections } from '../document/operation-tree';
import type { SupergraphFacts } from '../supergraph-facts';
import { type CallerSelections, type SelectedPlace, selectedBelow } from './selected-place';

/** A lookup as the planner has planned it: for all branches of the caller's operation together. */
export interface WideLookup {
  readonly document: DocumentNode;
  /** Key of the list of entities in the response. */
  readonly key: string;
  readonly subgraph: string;
  /** Key in the response → key in the data. */
  readonly renames: ReadonlyMap<string, string>;
  readonly facts: SupergraphFacts;
  readonly caller: CallerSelections;
  /** Places in the data of the fields that later lookups send; see `placeName`. */
  readonly sentFields: ReadonlySet<string>;
}

/** A lookup for the objects of one branch. */
export interface NarrowLookup {
  readonly operation: string;
  /** Variables of the operation. */
  readonly variables: ReadonlySet<string>;
  /** Places in the data of the fields that the operation lacks, for objects of some type at least. */
  readonly dropped: ReadonlySet<string>;
}

/** Name of a place in the data, by its keys. */
export const placeName = (keys: readonly string[]): string => keys.join('/');

/** Bounds the fields of a narrow operation, which has some fields once for each type. */
const MAX_FIELDS = 5000;

/**
 * Keeps the fields of a lookup that the caller selects at a place, and those that later lookups send. `undefined` when the
 * caller selects none, or when the operation would be too large.
 */
export function narrowLookup(
  lookup: WideLookup,
  keys: readonly string[],
  selected: SelectedPlace,
): NarrowLookup | undefined {
  const operation = lookup.document.definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION);
  const entities = operation?.selectionSet.selections.find((each) => isFieldWithKey(each, lookup.key));
  if (operation === undefined || entities?.selectionSet === undefined) return undefined;
  const narrowing: Narrowing = { ...lookup, fragments: fragmentsOf(lookup.document), dropped: new Set(), fields: 0 };
  const place: Place = { ...selected, name: placeName(keys), areKnown: false, isWhole: false };
  const selections = narrowSelections(narrowing, entities.selectionSet, place);
  if (narrowing.fields > MAX_FIELDS || selections.length === 0) return undefined;
  const variables = new Set<string>();
  const field = { ...entities, selectionSet: setOf(selections) };
  visit(field, { Variable: ({ name }) => void variables.add(name.value) });
  const narrow: OperationDefinitionNode = {
    ...operation,
    variableDefinitions: (operation.variableDefinitions ?? []).filter((each) =>
      variables.has(each.variable.name.value),
    ),
    selectionSet: setOf([field]),
  };
  return { operation: print(narrow), variables, dropped: narrowing.dropped };
}

interface Narrowing extends WideLookup {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly dropped: Set<string>;
  fields: number;
}

interface Place extends SelectedPlace {
  readonly name: string;
  /** True when the subgraph has all these types, so that it can have a fragment for each. */
  readonly areKnown: boolean;
  /** True below a field that is kept for later lookups only: all its fields are kept. */
  readonly isWhole: boolean;
}

function narrowSelections(narrowing: Narrowing, { selections }: SelectionSetNode, place: Place): SelectionNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return narrowField(narrowing, selection, place);
    const fragment =
      selection.kind === Kind.INLINE_FRAGMENT ? selection : narrowing.fragments.get(selection.name.value);
    if (fragment === undefined) return [];
    const { typeCondition, selectionSet } = fragment;
    const condition = typeCondition?.name.value;
    const types = place.types.filter(
      ({ name }) => condition === undefined || narrowing.facts.satisfies(name, condition),
    );
    if (types.length === 0 && !place.isWhole) return [];
    return inFragment(condition, narrowSelections(narrowing, selectionSet, { ...place, types }));
  });
}

function narrowField(narrowing: Narrowing, field: FieldNode, place: Place): SelectionNode[] {
  narrowing.fields += 1;
  if (narrowing.fields > MAX_FIELDS) return [];
  const responseKey = responseKeyOf(field);
  if (responseKey === '__typename') return [field];
  const key = narrowing.renames.get(responseKey) ?? responseKey;
  const name = nameBelow(place, key);
  const below = selectedBelow(narrowing.caller, place, key);
  const isSent = narrowing.sentFields.has(name);
  if (place.isWhole || (isSent && below === undefined)) {
    return [withSelections(field, (set) => narrowSelections(narrowing, set, { ...place, name, isWhole: true }))];
  }
  if (below === undefined) {
    narrowing.dropped.add(name);
    return [];
  }
  const single = isSent ? [] : placesOfTypes(place);
  if (!areEqual(single.map((each) => selectedBelow(narrowing.caller, each, key)))) {
    return single.flatMap((each) => inFragment(each.typeName, narrowField(narrowing, field, each)));
  }
  const inside = placeBelow(narrowing, place, { field, below, name });
  return [withSelections(field, (set) => narrowSelections(narrowing, set, inside))];
}

const nameBelow = ({ name }: Place, key: string): string => (name === '' ? key : `${name}/${key}`);

/** One place for each type, when fragments can distinguish the types. */
const placesOfTypes = (place: Place): readonly (Place & { readonly typeName: string })[] =>
  place.areKnown ? place.types.map((type) => ({ ...place, types: [type], typeName: type.name })) : [];

/** True when the caller selects the same for all types. */
function areEqual(selected: readonly (SelectedPlace | undefined)[]): boolean {
  const levelsOf = (place: SelectedPlace | undefined): readonly Selections[] | undefined => place?.levels;
  const first = levelsOf(selected[0]);
  return selected.every((each) => {
    const levels = levelsOf(each);
    if (levels === undefined || first === undefined) return levels === first;
    return levels.length === first.length && levels.every((level, index) => level === first[index]);
  });
}

interface FieldBelow {
  readonly field: FieldNode;
  readonly below: SelectedPlace;
  readonly name: string;
}

/** The types at a field are those that the subgraph returns there. It cannot distinguish the types of an interface object. */
function placeBelow({ facts, subgraph }: Narrowing, { types }: Place, { field, below, name }: FieldBelow): Place {
  const known = facts.types;
  const [parent] = types;
  const declared = parent === undefined ? undefined : known?.typeOfField(subgraph, parent.name, field.name.value);
  if (known === undefined || declared === undefined) return { ...below, name, areKnown: false, isWhole: false };
  const possible = known.possibleTypes(subgraph, declared);
  const returned = below.types.filter((type) => possible.has(type.name));
  const areKnown = returned.every((type) => known.typeNameIn(subgraph, type.name) === type.name);
  return { levels: below.levels, types: returned, name, areKnown, isWhole: false };
}

const TYPE_NAME: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };

function withSelections(field: FieldNode, narrow: (set: SelectionSetNode) => readonly SelectionNode[]): FieldNode {
  if (field.selectionSet === undefined) return field;
  const selections = narrow(field.selectionSet);
  return { ...field, selectionSet: setOf(selections.length === 0 ? [TYPE_NAME] : selections) };
}

function inFragment(condition: string | undefined, selections: readonly SelectionNode[]): SelectionNode[] {
  if (selections.length === 0) return [];
  const typeCondition =
    condition === undefined
      ? undefined
      : ({ kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: condition } } as const);
  return [{ kind: Kind.INLINE_FRAGMENT, ...(typeCondition && { typeCondition }), selectionSet: setOf(selections) }];
}

const setOf = (selections: readonly SelectionNode[]): SelectionSetNode => ({ kind: Kind.SELECTION_SET, selections });

const isFieldWithKey = (selection: SelectionNode, key: string): selection is FieldNode =>
  selection.kind === Kind.FIELD && responseKeyOf(selection) === key;
