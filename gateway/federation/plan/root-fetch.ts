import type { FetchNode } from '@graphql-hive/router-query-planner';
import type { DocumentNode } from 'graphql';
import { whenDone } from '../maybe-promise';
import { exposeSubgraphError, type SubgraphError } from '../subgraph/subgraph-error';
import type { SubgraphResponse } from '../subgraph/subgraph-response';
import { type ExecutionState, addError } from './execution-state';
import { compileObjectCollector, type FlattenPath, pathBeforeLists } from './flatten-path';
import { type DataObject, mergeObject } from './merge';
import type { PlanCompilation } from './plan-compilation';
import { renamePath } from './response-path';
import { type ResponseShape, responseShapeOf } from './response-shape';
import { type ApplyRewrites, compileOutputRewrites, renamedKeys } from './rewrites';
import type { PlanStep } from './plan-step';
import { compileFetch, type SubgraphFetch } from './subgraph-fetch';

type FetchParts = Pick<FetchNode, 'serviceName' | 'outputRewrites'>;

/** Compiles a fetch of root fields. */
export function compileRootFetch(compilation: PlanCompilation, node: FetchNode): PlanStep {
  const fetch = compileFetch(compilation, node);
  const absorb = compileRootAbsorb(compilation, node, fetch);
  return (state) => whenDone(fetch.send(state, {}), (response) => absorb(state, response));
}

/** Compiles the merging of a response with root fields, and of its errors. */
export function compileRootAbsorb(
  compilation: PlanCompilation,
  node: FetchParts,
  { document }: Pick<SubgraphFetch<unknown>, 'document'>,
): (state: ExecutionState, response: SubgraphResponse) => void {
  const { shape, rewrite, addErrors } = compileResponse(compilation, node, { document, path: [] });
  const owned = { shape, copy: false, abstractTypes: compilation.facts.subtypes };
  return (state, { data, errors }) => {
    if (data !== null && data !== undefined) {
      if (rewrite !== undefined) rewrite(data);
      mergeObject(state.data, data, owned);
    }
    if (errors !== undefined) addErrors(state, errors);
  };
}

/** Compiles a fetch of a root type below a field. The response is merged into every object at the path. */
export function compileNestedRootFetch(compilation: PlanCompilation, node: FetchNode, path: FlattenPath): PlanStep {
  const fetch = compileFetch(compilation, node);
  const { shape, rewrite, addErrors } = compileResponse(compilation, node, { document: fetch.document, path });
  const { facts } = compilation;
  const { subtypes: abstractTypes } = facts;
  const collect = compileObjectCollector(path, facts);
  return (state) => {
    const objects: DataObject[] = [];
    collect(state.data, objects);
    if (objects.length === 0) return;
    return whenDone(fetch.send(state, {}), ({ data, errors }) => {
      if (data !== null && data !== undefined) {
        if (rewrite !== undefined) rewrite(data);
        objects.forEach((object, index) => mergeObject(object, data, { shape, copy: index > 0, abstractTypes }));
      }
      if (errors !== undefined) addErrors(state, errors);
    });
  };
}

interface ResponseSource {
  readonly document: DocumentNode;
  /** Path of the objects that the response is merged into. */
  readonly path: FlattenPath;
}

interface RootResponse {
  readonly shape: ResponseShape;
  readonly rewrite: ApplyRewrites | undefined;
  readonly addErrors: (state: ExecutionState, errors: readonly SubgraphError[]) => void;
}

function compileResponse(
  { facts, log }: PlanCompilation,
  { outputRewrites }: FetchParts,
  { document, path }: ResponseSource,
): RootResponse {
  const renames = renamedKeys(outputRewrites);
  const shape = responseShapeOf(document, renames);
  const prefix = pathBeforeLists(path);
  const fields = shape.keys.filter((key) => key !== '__typename');
  // An error without a path belongs to the only root field, or to the whole response.
  const whole = fields.length === 1 ? [...prefix, ...fields] : prefix;
  const isBelowList = path.includes('@');
  const addErrors = (state: ExecutionState, errors: readonly SubgraphError[]): void => {
    for (const each of errors) {
      const error = exposeSubgraphError(each, log, state.context.requestId);
      if (each.path === undefined)
        addError(state, { error, path: whole.length > 0 ? whole : undefined, isExact: false });
      else addError(state, { error, path: [...prefix, ...renamePath(each.path, renames)], isExact: !isBelowList });
    }
  };
  return { shape, rewrite: compileOutputRewrites(outputRewrites, facts), addErrors };
}
