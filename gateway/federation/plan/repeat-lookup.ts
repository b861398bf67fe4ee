import type { ResponsePath } from '../formatted-error';
import type { MaybePromise } from '../maybe-promise';
import type { SubgraphError } from '../subgraph/subgraph-error';
import type { SubgraphResponse } from '../subgraph/subgraph-response';
import type { CollectedEntities, EntityResponse } from './entity-lookup';
import type { ExecutionState } from './execution-state';
import { type FlattenPath, locateObjects } from './flatten-path';
import type { DataObject } from './merge';
import { type NarrowLookup, narrowLookup, placeName, type WideLookup } from './narrow-lookup';
import type { PlanCompilation } from './plan-compilation';
import { renamePath } from './response-path';
import { type Branch, branchAt, selectedAt } from './selected-place';
import { compileFetch, type FetchDescription, type SubgraphFetch } from './subgraph-fetch';

/** Objects, and the response with their entities. */
export interface LookupResult {
  readonly collected: CollectedEntities;
  readonly response: EntityResponse;
}

/**
 * Repeats a lookup for the objects that a failure of a field has left without a value although the caller does not select the
 * field for them. Returns the first response for all other objects, and the repeated ones.
 */
export type RepeatLookup = (state: ExecutionState, first: LookupResult) => MaybePromise<readonly LookupResult[]>;

export interface RepeatedLookup {
  readonly fetch: FetchDescription;
  readonly document: WideLookup['document'];
  readonly renames: ReadonlyMap<string, string>;
  readonly paths: readonly FlattenPath[];
  /** Key of the list of entities in the response. */
  readonly key: string;
  /** Variable with the representations. */
  readonly variable: string;
}

/** Maximum number of repeating requests of an operation. A lookup has one for each set of fields that the caller selects. */
const MAX_REQUESTS = 20;
/** Bounds the memory, because type names come from subgraphs. */
const MAX_BRANCHES = 100;

interface NarrowFetch extends NarrowLookup {
  readonly fetch: SubgraphFetch<SubgraphResponse>;
}

/**
 * The planner merges the lookups of several branches of an operation, such as `... on Novel { seller { owns { hint } } }` and
 * `... on Comic { seller { owns { price } } }`. When the non-null field `price` fails, the subgraph returns null in place of
 * the object, for novels as well. They are looked up again without it. This happens once, and only after such a failure.
 */
export function compileRepeatLookup(compilation: PlanCompilation, lookup: RepeatedLookup): RepeatLookup {
  const narrowFor = compileNarrowing(compilation, lookup);
  const { paths, renames, variable, key } = lookup;
  /** The objects to look up again, by the lookup for their branch. */
  const groupsOf = (
    state: ExecutionState,
    { collected }: LookupResult,
    failures: Failures,
  ): Map<NarrowFetch, number[]> => {
    const located = paths.map((path) => locateObjects(state.data, path, compilation.facts));
    const groups = new Map<NarrowFetch, number[]>();
    for (const [index, object] of collected.objects.entries()) {
      const failed = failures.get(collected.positions[index] as number);
      if (failed === undefined) continue;
      const path = located.map((objects) => objects.get(object)?.[0]).find((each) => each !== undefined);
      if (path === undefined) continue;
      const branch = branchAt(state.data, path);
      const narrow = narrowFor(branch);
      if (narrow === undefined || !failed.some((below) => isDropped(narrow, [...branch.keys, ...below]))) continue;
      const group = groups.get(narrow);
      if (group !== undefined) group.push(index);
      else if (state.repeatedLookups < MAX_REQUESTS) {
        state.repeatedLookups += 1;
        groups.set(narrow, [index]);
      }
    }
    return groups;
  };
  return (state, first) => {
    const failures = spreadFailures(first.response, renames);
    if (failures.size === 0) return [first];
    const repeat = async ([{ fetch }, indexes]: [NarrowFetch, number[]]): Promise<Repetition> => {
      const collected = partOf(first.collected, indexes);
      const { data, errors } = await fetch.send(state, { [variable]: collected.representations });
      return { indexes, result: { collected, response: { key, entities: data?.[key], errors } } };
    };
    const groups = groupsOf(state, first, failures);
    if (groups.size === 0) return [first];
    return Promise.all([...groups].map(repeat)).then((repeated) => combine(first, repeated));
  };
}

/** Keys below representations, by the position of the representation. */
type Failures = ReadonlyMap<number, readonly (readonly string[])[]>;

/** The fields whose failure made an object above them null. */
function spreadFailures(
  { key, entities, errors = [] }: EntityResponse,
  renames: ReadonlyMap<string, string>,
): Failures {
  const failures = new Map<number, string[][]>();
  for (const { path } of errors) {
    const position = path?.[1];
    if (path?.[0] !== key || typeof position !== 'number' || !endsEarly(entities, path.slice(1))) continue;
    const keys = renamePath(path.slice(2), renames).filter((segment) => typeof segment === 'string');
    const known = failures.get(position);
    if (known === undefined) failures.set(position, [keys]);
    else known.push(keys);
  }
  return failures;
}

/** True when a value above the end of the path is null. */
function endsEarly(value: unknown, path: ResponsePath): boolean {
  let current = value;
  for (const segment of path) {
    if (typeof current !== 'object' || current === null) return current === null;
    current = (current as Readonly<Record<string | number, unknown>>)[segment];
  }
  return false;
}

const isDropped = ({ dropped }: NarrowLookup, keys: readonly string[]): boolean =>
  keys.some((_key, index) => dropped.has(placeName(keys.slice(0, index + 1))));

/** Returns the lookup for the objects of a branch; `undefined` when the caller selects none of its fields for them. */
function compileNarrowing(
  compilation: PlanCompilation,
  { fetch: wide, document, renames, key }: RepeatedLookup,
): (branch: Branch) => NarrowFetch | undefined {
  const { facts, caller } = compilation;
  const byBranch = new Map<string, NarrowFetch | undefined>();
  const byOperation = new Map<string, NarrowFetch>();
  const narrowTo = (branch: Branch): NarrowFetch | undefined => {
    const selected = selectedAt(caller, branch);
    if (selected === undefined) return undefined;
    const sentFields = compilation.sentFields();
    const lookup = { document, key, subgraph: wide.serviceName, renames, facts, caller, sentFields };
    const narrow = narrowLookup(lookup, branch.keys, selected);
    if (narrow === undefined || narrow.dropped.size === 0) return undefined;
    const { operation, variables } = narrow;
    const identity = `${[...narrow.dropped].sort().join()} ${operation}`;
    const known = byOperation.get(identity);
    if (known !== undefined) return known;
    const variableUsages = (wide.variableUsages ?? []).filter((name) => variables.has(name));
    const description = { serviceName: wide.serviceName, operation, variableUsages };
    const compiled = { ...narrow, fetch: compileFetch(compilation, description) };
    byOperation.set(identity, compiled);
    return compiled;
  };
  /** The first response stays where no operation for the branch can be compiled. */
  const attempt = (branch: Branch): NarrowFetch | undefined => {
    try {
      return narrowTo(branch);
    } catch (error) {
      compilation.log.error({ err: error, operation: wide.operation }, 'a lookup cannot be repeated for a branch');
      return undefined;
    }
  };
  return (branch) => {
    const id = JSON.stringify([branch.keys, branch.typeNames]);
    if (byBranch.has(id)) return byBranch.get(id);
    if (byBranch.size >= MAX_BRANCHES) {
      byBranch.clear();
      byOperation.clear();
    }
    const narrow = attempt(branch);
    byBranch.set(id, narrow);
    return narrow;
  };
}

/** Some of the objects, with their representations. */
function partOf(
  { objects, representations, positions }: CollectedEntities,
  indexes: readonly number[],
): CollectedEntities {
  const kept: DataObject[] = [];
  const moved = new Map<number, number>();
  const newPositions = indexes.map((index) => {
    const position = positions[index] as number;
    const known = moved.get(position) ?? kept.push(representations[position] as DataObject) - 1;
    moved.set(position, known);
    return known;
  });
  return {
    objects: indexes.map((index) => objects[index] as DataObject),
    representations: kept,
    positions: newPositions,
    repeated: kept.length < indexes.length,
  };
}

interface Repetition {
  /** Indexes of the objects in the first response. */
  readonly indexes: readonly number[];
  readonly result: LookupResult;
}

/** The first response stays for the objects that a repetition has not found. */
function combine(first: LookupResult, repetitions: readonly Repetition[]): readonly LookupResult[] {
  const replaced = new Set<number>();
  const results = repetitions.flatMap(({ indexes, result }) => {
    const isLost = indexes.map((_index, place) => !isFound(result, place));
    for (const [place, index] of indexes.entries()) if (isLost[place] === false) replaced.add(index);
    return isLost.every(Boolean) ? [] : [withoutObjects(result, (place) => isLost[place] === true)];
  });
  return [withoutObjects(first, (index) => replaced.has(index)), ...results];
}

function isFound({ collected, response: { entities } }: LookupResult, place: number): boolean {
  const entity: unknown = Array.isArray(entities) ? entities[collected.positions[place] as number] : undefined;
  return entity !== undefined && entity !== null;
}

/** Without some of the objects, and the errors that concern only these. */
function withoutObjects({ collected, response }: LookupResult, isLeftOut: (index: number) => boolean): LookupResult {
  const positions = collected.positions.map((position, index) => (isLeftOut(index) ? -1 : position));
  const remaining = new Set(positions);
  const lost = new Set(collected.positions.filter((position) => !remaining.has(position)));
  const concernsOthers = ({ path }: SubgraphError): boolean => !lost.has(path?.[1] as number);
  return {
    collected: { ...collected, positions },
    response: { ...response, errors: response.errors?.filter(concernsOthers) },
  };
}
