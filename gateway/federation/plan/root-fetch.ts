import type { FetchNode } from '@graphql-hive/router-query-planner';
import type { DocumentNode } from 'graphql';
import { whenDone } from '../maybe-promise';
import { exposeSubgraphError, type SubgraphError } from '../subgraph/subgraph-error';
import type { SubgraphResponse } from '../subgraph/subgraph-response';
import { type ExecutionState, reportError } from './execution-state';
import { compileWalk, type FlattenPath, pathBeforeLists } from './flatten-path';
import { type DataObject, mergeObject } from './merge';
import type { PlanCompilation } from './plan-compilation';
import { renamePath } from './response-path';
import { type ResponseShape, responseShapeOf } from './response-shape';
import { type ApplyRewrites, compileOutputRewrites, renamedKeys } from './rewrites';
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
  const { shape, rewrite, report } = compileAnswer(compilation, node, { document, path: [] });
  const owned = { shape, copy: false };
  return (state, { data, errors }) => {
    if (data !== null && data !== undefined) {
      if (rewrite !== undefined) rewrite(data);
      mergeObject(state.data, data, owned);
    }
    if (errors !== undefined) report(state, errors);
  };
}

/** A root type that is entered again below a field: the answer belongs to every object at the path. */
export function compileNestedRootFetch(compilation: PlanCompilation, node: FetchNode, path: FlattenPath): Step {
  const fetch = compileFetch(compilation, node);
  const { shape, rewrite, report } = compileAnswer(compilation, node, { document: fetch.document, path });
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
      if (errors !== undefined) report(state, errors);
    });
  };
}

interface AnswerSource {
  readonly document: DocumentNode;
  /** Where the answer belongs. */
  readonly path: FlattenPath;
}

interface RootAnswer {
  readonly shape: ResponseShape;
  readonly rewrite: ApplyRewrites | undefined;
  readonly report: (state: ExecutionState, errors: readonly SubgraphError[]) => void;
}

function compileAnswer(
  { facts, log }: PlanCompilation,
  { outputRewrites }: FetchParts,
  { document, path }: AnswerSource,
): RootAnswer {
  const renames = renamedKeys(outputRewrites);
  const shape = responseShapeOf(document, renames);
  const prefix = pathBeforeLists(path);
  const fields = shape.keys.filter((key) => key !== '__typename');
  // Without a path, a failure is that of the only root field, or of everything.
  const whole = fields.length === 1 ? [...prefix, ...fields] : prefix;
  const isBelowList = path.includes('@');
  const report = (state: ExecutionState, errors: readonly SubgraphError[]): void => {
    for (const each of errors) {
      const error = exposeSubgraphError(each, log);
      if (each.path === undefined)
        reportError(state, { error, path: whole.length > 0 ? whole : undefined, isExact: false });
      else reportError(state, { error, path: [...prefix, ...renamePath(each.path, renames)], isExact: !isBelowList });
    }
  };
  return { shape, rewrite: compileOutputRewrites(outputRewrites, facts), report };
}
