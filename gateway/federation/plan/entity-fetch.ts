import type { BatchFetchNode, EntityBatchAlias, FetchNode } from '@graphql-hive/router-query-planner';
import { type MaybePromise, whenDone } from '../maybe-promise';
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
import type { PlanStep } from './plan-step';
import { compileRepeatLookup, type LookupResult, type RepeatLookup } from './repeat-lookup';
import { responseShapeOf, shapeBelow } from './response-shape';
import { compileFetch } from './subgraph-fetch';

const ENTITIES = '_entities';

/** Compiles a lookup of the entities at one path. */
export function compileEntityFetch(
  compilation: PlanCompilation,
  node: FetchNode,
  lookupOf: EntityLookupDescription,
): PlanStep {
  const fetch = compileFetch(compilation, node);
  const { document } = fetch;
  const lookup = compileEntityLookup(compilation, lookupOf, (renames) =>
    shapeBelow(responseShapeOf(document, renames), ENTITIES),
  );
  const { renames } = lookup;
  const { paths } = lookupOf;
  const repeated = { fetch: node, document, renames, paths, key: ENTITIES, variable: 'representations' };
  const absorb = compileAbsorb(lookup, compileRepeatLookup(compilation, repeated));
  return (state) => {
    const collected = lookup.collect(state);
    const { representations } = collected;
    if (representations.length === 0) return;
    return whenDone(fetch.send(state, { representations }), ({ data, errors }) =>
      absorb(state, { collected, response: { key: ENTITIES, entities: data?.[ENTITIES], errors } }),
    );
  };
}

/** Without errors nothing is repeated, and the entities are merged immediately. */
function compileAbsorb(lookup: EntityLookup, repeat: RepeatLookup): Absorb {
  return (state, first) => {
    const { collected, response } = first;
    if (response.errors === undefined || response.errors.length === 0) {
      lookup.absorb(state, collected, response);
      return;
    }
    return whenDone(repeat(state, first), (results) => {
      for (const result of results) lookup.absorb(state, result.collected, result.response);
    });
  };
}

type Absorb = (state: ExecutionState, first: LookupResult) => MaybePromise<void>;

interface BatchedLookup {
  readonly alias: string;
  readonly variable: string;
  /** True when an earlier alias fills the same variable, with the same input, rewrites and paths. */
  readonly repeats: boolean;
  readonly collect: EntityLookup['collect'];
  readonly absorb: Absorb;
}

/** Compiles several lookups in one request. */
export function compileBatchFetch(compilation: PlanCompilation, node: BatchFetchNode): PlanStep {
  const fetch = compileFetch(compilation, node);
  const { document } = fetch;
  const { aliases } = node.entityBatch;
  const lookups = aliases.map((described, index): BatchedLookup => {
    const { alias, paths, representationsVariableName: variable } = described;
    const lookup = compileEntityLookup(compilation, described, (renames) =>
      shapeBelow(responseShapeOf(document, renames), alias),
    );
    const repeats = aliases.slice(0, index).some((earlier) => earlier.representationsVariableName === variable);
    const repeated = { fetch: node, document, renames: lookup.renames, paths, key: alias, variable };
    return {
      alias,
      variable,
      repeats,
      collect: (state) => lookup.collect(state),
      absorb: compileAbsorb(lookup, compileRepeatLookup(compilation, repeated)),
    };
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

type AbsorbBatch = (
  state: ExecutionState,
  collected: ReadonlyMap<string, CollectedEntities>,
  response: SubgraphResponse,
) => MaybePromise<void>;

function compileBatchAbsorb(
  { log }: PlanCompilation,
  aliases: readonly EntityBatchAlias[],
  lookups: readonly BatchedLookup[],
): AbsorbBatch {
  const known = new Set<unknown>(aliases.map(({ alias }) => alias));
  const whole = pathBeforeLists(aliases[0]?.paths[0] ?? []);
  const belongsTo = (alias: unknown) => (error: SubgraphError) => error.path?.[0] === alias;
  /** Errors of no lookup. */
  const addOthers = (state: ExecutionState, errors: SubgraphResponse['errors'] = []): void => {
    for (const error of errors) {
      if (!known.has(error.path?.[0]))
        addError(state, { error: exposeSubgraphError(error, log), path: whole, isExact: false });
    }
  };
  return (state, collected, { data, errors }) => {
    const absorbing: Promise<void>[] = [];
    for (const { alias: key, variable, absorb } of lookups) {
      const entities = collected.get(variable);
      if (entities === undefined) continue;
      const response = { key, entities: data?.[key], errors: errors?.filter(belongsTo(key)) };
      const started = absorb(state, { collected: entities, response });
      if (started !== undefined) absorbing.push(started);
    }
    addOthers(state, errors);
    return absorbing.length === 0 ? undefined : Promise.all(absorbing).then(() => undefined);
  };
}
