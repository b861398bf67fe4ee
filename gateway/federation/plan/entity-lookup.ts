import type { InputRewrite, OutputRewrite, RequiresSelection } from '@graphql-hive/router-query-planner';
import type { ResponsePath } from '../formatted-error';
import { exposeSubgraphError, type SubgraphError } from '../subgraph/subgraph-error';
import { type ExecutionState, addError } from './execution-state';
import { compileObjectCollector, type FlattenPath, locateObjects, pathBeforeLists } from './flatten-path';
import { type DataObject, mergeObject, type MergeRule } from './merge';
import type { PlanCompilation } from './plan-compilation';
import { compileRepresentations } from './representation';
import { renamePath } from './response-path';
import type { ResponseShape } from './response-shape';
import { compileOutputRewrites, renamedKeys } from './rewrites';

export interface EntityLookupDescription {
  /** Paths of the objects whose entities are looked up. */
  readonly paths: readonly FlattenPath[];
  readonly requires: readonly RequiresSelection[];
  readonly inputRewrites?: readonly InputRewrite[];
  readonly outputRewrites?: readonly OutputRewrite[];
}

/** The objects at the paths, and the representations to send for them. */
export interface CollectedEntities {
  readonly objects: readonly DataObject[];
  /** Without duplicates. */
  readonly representations: readonly DataObject[];
  /** Index of the representation of each object, or -1 when the object is incomplete. */
  readonly positions: readonly number[];
  /** True when some representation belongs to several objects. */
  readonly repeated: boolean;
}

export interface EntityResponse {
  /** Key of the list of entities in the response, and first segment of the paths of its errors. */
  readonly key: string;
  readonly entities: unknown;
  readonly errors: readonly SubgraphError[] | undefined;
}

export interface EntityLookup {
  /** Key in the response → key in the data. */
  readonly renames: ReadonlyMap<string, string>;
  collect(state: ExecutionState): CollectedEntities;
  /** Merges the entities into their objects, and adds the errors at the paths of those objects. */
  absorb(state: ExecutionState, collected: CollectedEntities, response: EntityResponse): void;
}

export type BindShape = (renames: ReadonlyMap<string, string>) => ResponseShape;

/** `shapeOf` returns the shape of one entity in the response. */
export function compileEntityLookup(
  compilation: PlanCompilation,
  description: EntityLookupDescription,
  shapeOf: BindShape,
): EntityLookup {
  const { facts, log } = compilation;
  const { paths, outputRewrites } = description;
  const renames = renamedKeys(outputRewrites);
  const rewrite = compileOutputRewrites(outputRewrites, facts);
  const shape = shapeOf(renames);
  const addErrors = (state: ExecutionState, collected: CollectedEntities, response: EntityResponse): void => {
    const whole = pathBeforeLists(paths[0] ?? []);
    const pathsOf = compileErrorPaths({ compilation, paths, renames }, state, collected);
    for (const error of response.errors ?? []) {
      const exposed = exposeSubgraphError(error, log, state.context.requestId);
      const located = pathsOf(error, response.key);
      const isExact = located !== undefined;
      for (const path of located ?? [whole]) addError(state, { error: exposed, path, isExact });
    }
  };
  return {
    renames,
    collect: compileCollect(compilation, description),
    absorb(state, collected, response) {
      if (Array.isArray(response.entities)) {
        if (rewrite !== undefined) rewrite(response.entities);
        mergeEntities(collected, response.entities, { shape, abstractTypes: facts.subtypes });
      }
      if (response.errors !== undefined && response.errors.length > 0) addErrors(state, collected, response);
    },
  };
}

function compileCollect(
  { facts, renames }: PlanCompilation,
  { paths, requires, inputRewrites }: EntityLookupDescription,
): EntityLookup['collect'] {
  const collectors = paths.map((path) => compileObjectCollector(path, facts));
  const makerOf = compileRepresentations({ requires, inputRewrites, facts, renames });
  return (state) => {
    const objects: DataObject[] = [];
    for (const collect of collectors) collect(state.data, objects);
    const representations: DataObject[] = [];
    const positions: number[] = [];
    const known = new Map<string, number>();
    let repeated = false;
    for (const object of objects) {
      const maker = makerOf(object);
      const representation = maker.make(object);
      if (representation === undefined) {
        positions.push(-1);
        continue;
      }
      const key = maker.keyOf(representation);
      let position = known.get(key);
      if (position === undefined) {
        position = representations.push(representation) - 1;
        known.set(key, position);
      } else {
        repeated = true;
      }
      positions.push(position);
    }
    return { objects, representations, positions, repeated };
  };
}

function mergeEntities(
  collected: CollectedEntities,
  entities: readonly unknown[],
  rule: Omit<MergeRule, 'copy'>,
): void {
  const { objects, positions, repeated } = collected;
  const owned = { ...rule, copy: false };
  const copied = { ...rule, copy: true };
  const taken = repeated ? new Set<number>() : undefined;
  for (let i = 0; i < objects.length; i++) {
    const position = positions[i] as number;
    const entity = entities[position];
    if (typeof entity !== 'object' || entity === null) continue;
    const how = taken?.has(position) === true ? copied : owned;
    taken?.add(position);
    mergeObject(objects[i] as DataObject, entity as DataObject, how);
  }
}

interface ErrorPathSource {
  readonly compilation: PlanCompilation;
  readonly paths: readonly FlattenPath[];
  readonly renames: ReadonlyMap<string, string>;
}

/**
 * Returns one path per object of the failing representation, computed only after a failure. `undefined` for an error that
 * concerns the whole lookup.
 */
function compileErrorPaths(
  { compilation, paths, renames }: ErrorPathSource,
  state: ExecutionState,
  collected: CollectedEntities,
): (error: SubgraphError, key: string) => readonly ResponsePath[] | undefined {
  let located: ReadonlyMap<number, readonly ResponsePath[]> | undefined;
  return ({ path }, key) => {
    const position = path?.[1];
    if (path === undefined || path[0] !== key || typeof position !== 'number') return undefined;
    located ??= locateRepresentations(
      paths.map((each) => locateObjects(state.data, each, compilation.facts)),
      collected,
    );
    const rest = renamePath(path.slice(2), renames);
    return located.get(position)?.map((at) => [...at, ...rest]);
  };
}

function locateRepresentations(
  located: readonly ReadonlyMap<DataObject, readonly ResponsePath[]>[],
  { objects, positions }: CollectedEntities,
): ReadonlyMap<number, readonly ResponsePath[]> {
  const byPosition = new Map<number, ResponsePath[]>();
  const visited = new Set<DataObject>();
  objects.forEach((object, index) => {
    if (visited.has(object)) return;
    visited.add(object);
    const position = positions[index] as number;
    const known = byPosition.get(position) ?? [];
    byPosition.set(position, known);
    for (const paths of located) known.push(...(paths.get(object) ?? []));
  });
  return byPosition;
}
