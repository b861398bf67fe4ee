import type { BatchFetchNode, EntityBatchAlias, FetchNode } from '@graphql-hive/router-query-planner';
import { whenDone } from '../maybe-promise';
import { exposeSubgraphError, type SubgraphError } from '../subgraph/subgraph-error';
import type { SubgraphResponse } from '../subgraph/subgraph-response';
import {
  type CollectedEntities,
  compileEntityLookup,
  type EntityLookup,
  type EntityLookupDescription,
} from './entity-lookup';
import { type ExecutionState, addError } from './execution-state';
import { pathBeforeLists } from './flatten-path';
import type { PlanCompilation } from './plan-compilation';
import { responseShapeOf, shapeBelow } from './response-shape';
import type { PlanStep } from './plan-step';
import { compileFetch } from './subgraph-fetch';

const ENTITIES = '_entities';

/** Compiles a lookup of the entities at one path. */
export function compileEntityFetch(
  compilation: PlanCompilation,
  node: FetchNode,
  lookupOf: EntityLookupDescription,
): PlanStep {
  const fetch = compileFetch(compilation, node);
  const lookup = compileEntityLookup(compilation, lookupOf, (renames) =>
    shapeBelow(responseShapeOf(fetch.document, renames), ENTITIES),
  );
  return (state) => {
    const collected = lookup.collect(state);
    const { representations } = collected;
    if (representations.length === 0) return;
    return whenDone(fetch.send(state, { representations }), ({ data, errors }) =>
      lookup.absorb(state, collected, { key: ENTITIES, entities: data?.[ENTITIES], errors }),
    );
  };
}

interface BatchedLookup extends EntityLookup {
  readonly alias: string;
  readonly variable: string;
  /** True when an earlier alias fills the same variable, with the same input, rewrites and paths. */
  readonly repeats: boolean;
}

/** Compiles several lookups in one request. */
export function compileBatchFetch(compilation: PlanCompilation, node: BatchFetchNode): PlanStep {
  const fetch = compileFetch(compilation, node);
  const { aliases } = node.entityBatch;
  const lookups = aliases.map((described, index): BatchedLookup => {
    const { alias, representationsVariableName: variable } = described;
    const lookup = compileEntityLookup(compilation, described, (renames) =>
      shapeBelow(responseShapeOf(fetch.document, renames), alias),
    );
    const repeats = aliases.slice(0, index).some((earlier) => earlier.representationsVariableName === variable);
    return { ...lookup, alias, variable, repeats };
  });
  const absorb = compileBatchAbsorb(compilation, aliases, lookups);
  return (state) => {
    const collected = new Map<string, CollectedEntities>();
    for (const lookup of lookups) if (!lookup.repeats) collected.set(lookup.variable, lookup.collect(state));
    const variables: Record<string, unknown> = {};
    let empty = true;
    for (const [variable, { representations }] of collected) {
      variables[variable] = representations;
      if (representations.length > 0) empty = false;
    }
    if (empty) return;
    return whenDone(fetch.send(state, variables), (response) => absorb(state, collected, response));
  };
}

function compileBatchAbsorb(
  { log }: PlanCompilation,
  aliases: readonly EntityBatchAlias[],
  lookups: readonly BatchedLookup[],
): (state: ExecutionState, collected: ReadonlyMap<string, CollectedEntities>, response: SubgraphResponse) => void {
  const known = new Set<unknown>(aliases.map(({ alias }) => alias));
  const whole = pathBeforeLists(aliases[0]?.paths[0] ?? []);
  const belongsTo = (alias: unknown) => (error: SubgraphError) => error.path?.[0] === alias;
  return (state, collected, { data, errors }) => {
    for (const lookup of lookups) {
      const entities = collected.get(lookup.variable);
      if (entities === undefined) continue;
      const { alias: key } = lookup;
      lookup.absorb(state, entities, { key, entities: data?.[key], errors: errors?.filter(belongsTo(key)) });
    }
    for (const error of errors ?? []) {
      if (!known.has(error.path?.[0]))
        addError(state, {
          error: exposeSubgraphError(error, log, state.context.requestId),
          path: whole,
          isExact: false,
        });
    }
  };
}
