import type { PlanNode } from '@graphql-hive/router-query-planner';
import type { GraphQLSchema } from 'graphql';
import { InvariantError } from '../../src/errors/invariant-error';
import { isServiceError, serviceError } from '../../src/errors/service-error';
import { compileIntrospection, type Introspect, type IntrospectionDeps } from './document/introspection';
import type { OperationTree } from './document/operation-tree';
import { type FormattedError, formatServiceError, type ResponsePath } from './formatted-error';
import { type KeptField, type KeptSelection, keptSelection } from './kept/kept-selection';
import type { OperationResult } from './operation-result';
import { type CheckedPlan, problemOfPlan } from './plan-check/check-plan';
import { compilePlan, type CompiledPlan } from './plan/compile-plan';
import { type ExecutionState, MAX_ERRORS } from './plan/execution-state';
import type { DataObject } from './plan/merge';
import type { FetchDeps } from './plan/subgraph-fetch';
import type { SupergraphFacts } from './supergraph-facts';
import { compileProjection } from './projection/compile-projection';
import { createFieldCollector } from './document/collect-fields';
import { explainViolations } from './projection/explain-violations';
import { locateErrors } from './projection/locate-errors';
import type { ProjectionSource } from './projection/projection-source';

/** Dependencies for compiling the operations of a graph. */
export interface CompilationDeps extends FetchDeps, IntrospectionDeps {
  /** Public schema. */
  readonly schema: GraphQLSchema;
  readonly facts: SupergraphFacts;
  /** The root field whose results are kept. */
  readonly kept?: KeptField | undefined;
}

export type OutputOptions = Pick<ProjectionSource, 'output' | 'keepNull'>;

/** An operation whose conditions are resolved, ready to be executed. */
export interface CompiledOperation {
  readonly plan: CompiledPlan;
  /** `undefined` when the operation selects neither `__schema` nor `__type`. */
  readonly introspect: Introspect | undefined;
  /** Set when the result of the operation may be kept. */
  readonly kept: KeptSelection | undefined;
  /** Builds the response from the data and errors of an execution. */
  finish(state: ExecutionState): OperationResult;
}

/** @throws DOCUMENT_REFUSED for a plan that would return wrong values. */
export function compileOperation(
  deps: CompilationDeps,
  { tree, node }: { readonly tree: OperationTree; readonly node: PlanNode | undefined },
  options: OutputOptions,
): CompiledOperation {
  const { schema, facts } = deps;
  const { operation } = tree;
  const rootType = schema.getRootType(operation.operation);
  if (rootType === undefined || rootType === null)
    throw new InvariantError(`the graph has no ${operation.operation} type`);
  if (node !== undefined) assertRight(deps, { node, tree, schema, facts });
  const source: ProjectionSource = {
    schema,
    facts,
    rootType,
    ...options,
    selections: [tree.selections],
    fieldsOf: createFieldCollector(schema),
  };
  const project = compileProjection(source);
  const finish = (state: ExecutionState): OperationResult => {
    const data = project(state.data, state);
    if (state.errors.length === 0 && !state.violated) return { data };
    const errors = locateErrors(source, state.data, state.errors);
    if (state.violated) errors.push(...unexplained(source, state.data, errors));
    return errors.length === 0 ? { data } : { data, errors: errors.slice(0, MAX_ERRORS) };
  };
  const plan = compilePlan({ ...deps, caller: source }, node);
  return { plan, introspect: compileIntrospection(deps, tree), kept: keptSelection(tree, deps.kept), finish };
}

/** True for the error of a plan that would return wrong values. */
export const isRefusal = (error: unknown): boolean => isServiceError(error) && error.code === 'DOCUMENT_REFUSED';

function assertRight({ log }: CompilationDeps, plan: CheckedPlan): void {
  const problem = problemOfPlan(plan);
  if (problem === undefined) return;
  log.warn({ problem }, 'the plan of a document would return wrong values');
  throw serviceError('DOCUMENT_REFUSED');
}

/** Errors for the nulls that no subgraph error explains. */
function unexplained(
  source: ProjectionSource,
  data: DataObject,
  errors: readonly FormattedError[],
): readonly FormattedError[] {
  const isExplained = (path: ResponsePath): boolean => errors.some((error) => accountsFor(error.path, path));
  return explainViolations(source, data, isExplained).map(({ path, message: reason }) => ({
    ...formatServiceError(serviceError('INVALID_SUBGRAPH_RESPONSE', { reason })),
    path,
  }));
}

/** An error above or below a null explains it: nulls propagate upwards. */
function accountsFor(errorPath: ResponsePath | undefined, nullPath: ResponsePath): boolean {
  if (errorPath === undefined) return true;
  const common = Math.min(errorPath.length, nullPath.length);
  for (let i = 0; i < common; i++) if (errorPath[i] !== nullPath[i]) return false;
  return true;
}
