import type { PlanNode } from '@graphql-hive/router-query-planner';
import type { GraphQLSchema } from 'graphql';
import { InvariantError } from '../../src/errors/invariant-error';
import { serviceError } from '../../src/errors/service-error';
import { compileClientPath } from './document/client-path';
import { compileIntrospection, type Introspect } from './document/introspection';
import type { OperationTree } from './document/operation-tree';
import { type FormattedError, formatServiceError, type ResponsePath } from './formatted-error';
import type { OperationResult } from './operation-result';
import { compilePlan, type CompiledPlan } from './plan/compile-plan';
import { type ExecutionState, reportError } from './plan/execution-state';
import type { FetchDeps } from './plan/subgraph-fetch';
import type { SupergraphFacts } from './plan/supergraph-facts';
import { compileProjection } from './projection/compile-projection';
import { explainViolations } from './projection/explain-violations';
import type { ProjectionSource } from './projection/projection-source';

/** What compiling operations needs of a graph. */
export interface CompilationDeps extends FetchDeps {
  /** Public schema. */
  readonly schema: GraphQLSchema;
  readonly facts: SupergraphFacts;
}

export type OutputOptions = Pick<ProjectionSource, 'output' | 'keepNull'>;

/** An operation with its conditions decided, ready to run. */
export interface CompiledOperation {
  readonly plan: CompiledPlan;
  /** `undefined` when the operation asks for neither `__schema` nor `__type`. */
  readonly introspect: Introspect | undefined;
  /** Makes the response of what an execution has collected. */
  finish(state: ExecutionState): OperationResult;
}

export function compileOperation(
  deps: CompilationDeps,
  { tree, node }: { readonly tree: OperationTree; readonly node: PlanNode | undefined },
  options: OutputOptions,
): CompiledOperation {
  const { schema, facts } = deps;
  const { operation, selections } = tree;
  const rootType = schema.getRootType(operation.operation);
  if (rootType === undefined || rootType === null)
    throw new InvariantError(`the graph has no ${operation.operation} type`);
  const source: ProjectionSource = { schema, facts, rootType, selections, ...options };
  const project = compileProjection(source);
  const clientPath = compileClientPath(selections);
  const finish = (state: ExecutionState): OperationResult => {
    const data = project(state.data, state);
    if (state.errors.length === 0 && !state.violated) return { data };
    const errors = state.errors.map((error) => withClientPath(error, clientPath));
    if (state.violated) {
      state.errors.splice(0, Infinity, ...errors);
      explain(source, state);
      return { data, errors: state.errors };
    }
    return { data, errors };
  };
  return { plan: compilePlan(deps, node), introspect: compileIntrospection(schema, tree), finish };
}

const withClientPath = (error: FormattedError, clientPath: (path: ResponsePath) => ResponsePath): FormattedError =>
  error.path === undefined ? error : { ...error, path: clientPath(error.path) };

/** Adds an error for each null that no error of a subgraph accounts for. */
function explain(source: ProjectionSource, state: ExecutionState): void {
  const reported = [...state.errors];
  for (const { path, message } of explainViolations(source, state.data)) {
    if (reported.some((error) => accountsFor(error.path, path))) continue;
    reportError(state, { ...formatServiceError(serviceError('INVALID_SUBGRAPH_RESPONSE', { reason: message })), path });
  }
}

/** An error above a null explains it, and so does one below: it made the null spread upwards. */
function accountsFor(errorPath: ResponsePath | undefined, nullPath: ResponsePath): boolean {
  if (errorPath === undefined) return true;
  const common = Math.min(errorPath.length, nullPath.length);
  for (let i = 0; i < common; i++) if (errorPath[i] !== nullPath[i]) return false;
  return true;
}
