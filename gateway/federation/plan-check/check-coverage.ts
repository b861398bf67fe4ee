import { getNamedType, type GraphQLSchema, isCompositeType, isObjectType } from 'graphql';
import type { Selections } from '../document/operation-tree';
import { type CollectFields, type CompositeType, createFieldCollector, definitionOf } from '../document/collect-fields';
import type { SupergraphFacts } from '../supergraph-facts';
import { fieldMeaning } from './fill-planned-data';
import {
  addProblem,
  OWN_TYPE,
  type PlannedData,
  type PlannedField,
  type PlannedObject,
  type PlannedVariant,
} from './planned-data';

export interface CoverageSource {
  readonly data: PlannedData;
  /** Public schema. */
  readonly schema: GraphQLSchema;
  readonly facts: SupergraphFacts;
}

/** The selections of the caller for the objects at a place. */
interface SelectedPlace {
  readonly object: PlannedObject;
  /** Type of the field that leads to the objects. */
  readonly type: CompositeType;
  readonly levels: readonly Selections[];
  /** For messages. */
  readonly path: string;
}

/** Checks that a plan fills every selected field, for objects of every type that the field is selected for. */
export function checkCoverage(source: CoverageSource, type: CompositeType, selections: Selections): void {
  const isNew = createVisits();
  const fieldsOf = createFieldCollector(source.schema);
  const check = (place: SelectedPlace): void => {
    if (!isNew(place)) return;
    for (const variant of place.object) checkVariant({ ...source, fieldsOf, check }, place, variant);
  };
  check({ object: source.data.root, type, levels: [selections], path: '' });
}

/** Returns a function that is true for a place that it has not been called with. */
function createVisits(): (place: SelectedPlace) => boolean {
  const ids = new Map<Selections, number>();
  const visited = new Map<PlannedObject, Set<string>>();
  return ({ object, type, levels }) => {
    const keys = levels.map((selections) => {
      const id = ids.get(selections) ?? ids.size;
      ids.set(selections, id);
      return id;
    });
    const key = `${type.name} ${keys.join()}`;
    const known = visited.get(object) ?? new Set();
    visited.set(object, known);
    if (known.has(key)) return false;
    known.add(key);
    return true;
  };
}

interface VariantSource extends CoverageSource {
  readonly fieldsOf: CollectFields;
  readonly check: (place: SelectedPlace) => void;
}

function checkVariant(source: VariantSource, place: SelectedPlace, variant: PlannedVariant): void {
  const { data, schema } = source;
  if (variant.typeName !== OWN_TYPE && !isObjectType(place.type) && needsType(source, place)) {
    addProblem(data, `no fetch finds the type of ${place.path}`);
  }
  for (const name of variant.types) {
    const type = schema.getType(name);
    // Callers get nothing of an object with an inaccessible type.
    if (isObjectType(type)) checkFields(source, { ...place, type }, variant);
  }
}

function checkFields(source: VariantSource, { type, levels, path }: SelectedPlace, { fields }: PlannedVariant): void {
  for (const { field, below } of source.fieldsOf(type, levels).values()) {
    const definition = definitionOf(type, field);
    if (definition === undefined) continue; // introspection
    const at = `${path}.${field.dataKey}`;
    const planned = fields.get(field.dataKey);
    const typeBelow = getNamedType(definition.type);
    if (planned?.meaning !== fieldMeaning(field.node)) {
      addProblem(source.data, `${problemOf(planned)} ${at} of ${type.name}`);
    } else if (isCompositeType(typeBelow) && planned.below !== undefined) {
      source.check({ object: planned.below, type: typeBelow, levels: below, path: at });
    }
  }
}

const problemOf = (planned: PlannedField | undefined): string =>
  planned === undefined ? 'no fetch fills' : 'other arguments are used for';

/** True when the response depends on the types of the objects. */
function needsType({ facts }: CoverageSource, { object, levels }: SelectedPlace): boolean {
  const types = object.flatMap((variant) => [...variant.types]);
  const dependsOnType = (selections: Selections): boolean =>
    selections.some((selection) => {
      if (selection.kind === 'field') return selection.name === '__typename';
      const { typeCondition, selections: inside } = selection;
      const isForAll = typeCondition === undefined || types.every((name) => facts.satisfies(name, typeCondition));
      return isForAll ? dependsOnType(inside) : hasField(inside);
    });
  return levels.some(dependsOnType);
}

const hasField = (selections: Selections): boolean =>
  selections.some((selection) => selection.kind === 'field' || hasField(selection.selections));
