import type { FetchNode } from '@graphql-hive/router-query-planner';
import type { ResponsePath } from '../formatted-error';
import { whenDone } from '../maybe-promise';
import { exposeSubgraphError, type SubgraphError } from '../subgraph-error';
import type { SubgraphResponse } from '../subgraph-response';
import { type ExecutionState, reportError } from './execution-state';
import { compileWalk, type FlattenPath, pathBeforeLists } from './flatten-path';
import { type DataObject, mergeObject } from './merge';
import type { PlanCompilation } from './plan-compilation';
import { renamePath } from './response-path';
import { type ResponseShape, responseShapeOf } from './response-shape';
import { compileOutputRewrites, renamedKeys } from './rewrites';
import type { Step } from './step';
import { compileFetch, type SubgraphFetch } from './subgraph-fetch';

type FetchParts = Pick<FetchNode, 'serviceName' | 'outputRewrites'>;

/** A fetch of root fields. */
export function compileRootFetch(compilation: PlanCompilation, node: FetchNode): Step {
  const fetch = compileFetch(compilation, node);
  const absorb = compileRootAbsorb(compilation, node, fetch);
  return (state) => whenDone(fetch.send(state, {}), (response) => absorb(state, response));
}

/** Merges the answer to a fetch of root fields, and reports its errors. */
export function compileRootAbsorb(
  compilation: PlanCompilation,
  node: FetchParts,
  { document }: Pick<SubgraphFetch<unknown>, 'document'>,
): (state: ExecutionState, response: SubgraphResponse) => void {
  const renames = renamedKeys(node.outputRewrites);
  const rewrite = compileOutputRewrites(node.outputRewrites, compilation.facts);
  const shape = responseShapeOf(document, renames);
  const owned = { shape, copy: false };
  const pathOf = compileErrorPath([], shape, renames);
  return (state, { data, errors }) => {
    if (data !== null && data !== undefined) {
      if (rewrite !== undefined) rewrite(data);
      mergeObject(state.data, data, owned);
    }
    for (const error of errors ?? []) reportWithPath(compilation, state, { error, path: pathOf(error) });
  };
}

/** A root type that is entered again below a field: the answer belongs to every object at the path. */
export function compileNestedRootFetch(compilation: PlanCompilation, node: FetchNode, path: FlattenPath): Step {
  const fetch = compileFetch(compilation, node);
  const renames = renamedKeys(node.outputRewrites);
  const rewrite = compileOutputRewrites(node.outputRewrites, compilation.facts);
  const shape = responseShapeOf(fetch.document, renames);
  const pathOf = compileErrorPath(pathBeforeLists(path), shape, renames);
  const walk = compileWalk(path, compilation.facts);
  return (state) => {
    const objects: DataObject[] = [];
    walk(state.data, objects);
    if (objects.length === 0) return;
    return whenDone(fetch.send(state, {}), ({ data, errors }) => {
      if (data !== null && data !== undefined) {
        if (rewrite !== undefined) rewrite(data);
        objects.forEach((object, index) => mergeObject(object, data, { shape, copy: index > 0 }));
      }
      for (const error of errors ?? []) reportWithPath(compilation, state, { error, path: pathOf(error) });
    });
  };
}

/** Without a path, a failure is that of the only root field, or of everything. */
function compileErrorPath(
  prefix: ResponsePath,
  shape: ResponseShape,
  renames: ReadonlyMap<string, string>,
): (error: SubgraphError) => ResponsePath | undefined {
  const fields = shape.keys.filter((key) => key !== '__typename');
  const otherwise = fields.length === 1 ? [...prefix, ...fields] : prefix.length > 0 ? prefix : undefined;
  return ({ path }) => (path === undefined ? otherwise : [...prefix, ...renamePath(path, renames)]);
}

interface LocatedError {
  readonly error: SubgraphError;
  readonly path: ResponsePath | undefined;
}

function reportWithPath({ log }: PlanCompilation, state: ExecutionState, { error, path }: LocatedError): void {
  reportError(state, { error: exposeSubgraphError(error, log), path, isExact: error.path !== undefined });
}
