import type { RequiresSelection } from '@graphql-hive/router-query-planner';
import type { SupergraphFacts } from '../supergraph-facts';
import {
  addProblem,
  OWN_TYPE,
  type PlannedData,
  type PlannedField,
  type PlannedObject,
  type PlannedVariant,
  type TypeNames,
} from './planned-data';
import type { Target } from './planned-targets';
import { soleTypeCondition } from '../plan/representation';
import { type RequiredField, requiredFieldsOf } from '../plan/required-fields';

export interface PlannedRepresentations {
  readonly data: PlannedData;
  readonly facts: SupergraphFacts;
  readonly requires: readonly RequiresSelection[];
  /** Renames by output rewrites of the plan, as `key>new key`. */
  readonly renames: ReadonlySet<string>;
}

/** Objects of some types with the same representations. */
export interface SentTypes {
  readonly types: TypeNames;
  /** Paths in the representation. */
  readonly sent: ReadonlySet<string>;
}

/** The representations that are sent for the objects of a target. An object that lacks a required field gets no representation. */
export function sentPaths(source: PlannedRepresentations, { keys, types, variant }: Target): readonly SentTypes[] {
  const groups = new Map<string, { types: Set<string>; sent: ReadonlySet<string> }>();
  for (const type of types.at(-1) ?? []) {
    const sent = representationOf(source, { type, variant, path: keys.join('.') });
    if (sent === undefined) continue;
    const key = [...sent].join();
    const group = groups.get(key) ?? { types: new Set(), sent };
    groups.set(key, group);
    group.types.add(type);
  }
  return [...groups.values()];
}

interface ObjectOfType {
  readonly type: string;
  readonly variant: PlannedVariant;
  /** For messages. */
  readonly path: string;
}

function representationOf(source: PlannedRepresentations, object: ObjectOfType): ReadonlySet<string> | undefined {
  const { data, facts, requires } = source;
  const { type, variant, path } = object;
  if (variant.typeName === undefined) {
    const assumed = soleTypeCondition(requires);
    if (assumed === undefined) return undefined;
    if (!facts.satisfies(type, assumed)) addProblem(data, `the type of ${path} is unknown`);
  }
  const sent = pathsIn({ ...source, prefix: '' }, requires, object);
  return sent === undefined || sent.size === 0 ? undefined : sent;
}

interface PathSource extends PlannedRepresentations {
  /** Path of the object in the representation, with a dot. */
  readonly prefix: string;
}

/** `undefined` when a required field is missing. */
function pathsIn(
  source: PathSource,
  requires: readonly RequiresSelection[],
  { type, variant, path }: ObjectOfType,
): ReadonlySet<string> | undefined {
  const typeName = variant.typeName === OWN_TYPE ? type : variant.typeName;
  const required = requiredFieldsOf(requires, typeName, source.facts);
  checkNames(source, [...required.keys()], path);
  const paths = new Set<string>();
  for (const [key, field] of required) {
    const value = valueOf(source, variant, { key, ...field });
    if (value === undefined && field.optional) continue;
    const sent = value === undefined ? undefined : pathsOfValue(source, { key, ...field, value }, path);
    if (sent === undefined) return undefined;
    for (const each of sent) paths.add(each);
  }
  return paths;
}

/** One name of a representation can only have one value. */
function checkNames({ data, facts }: PathSource, keys: readonly string[], path: string): void {
  const names = keys.map((key) => facts.fixedFields.get(key)?.name ?? key);
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) addProblem(data, `${path} is sent with several values of ${repeated}`);
}

interface KeyedField extends RequiredField {
  /** Key in the representation. */
  readonly key: string;
}

function valueOf(
  { renames }: PathSource,
  { fields }: PlannedVariant,
  { key, dataKey }: KeyedField,
): PlannedField | undefined {
  return fields.get(dataKey) ?? (renames.has(`${dataKey}>${key}`) ? fields.get(key) : undefined);
}

function pathsOfValue(
  source: PathSource,
  { key, dataKey, selections, value }: KeyedField & { readonly value: PlannedField },
  path: string,
): readonly string[] | undefined {
  if (value.meaning !== `${key}()`) addProblem(source.data, `${path}.${dataKey} is sent as ${key}`);
  const at = `${source.prefix}${key}`;
  const below = pathsBelow({ ...source, prefix: `${at}.` }, selections, { object: value.below, path });
  return below === undefined ? undefined : [at, ...below];
}

/** The paths that the representations of all types have. */
function pathsBelow(
  source: PathSource,
  selections: readonly RequiresSelection[],
  { object, path }: { readonly object: PlannedObject | undefined; readonly path: string },
): Iterable<string> | undefined {
  if (selections.length === 0) return [];
  const paths = new Set<string>();
  for (const variant of object ?? []) {
    for (const type of variant.types) {
      const each = pathsIn(source, selections, { type, variant, path });
      if (each === undefined) return undefined;
      for (const one of each) paths.add(one);
    }
  }
  return paths;
}
