import type { RequestContext } from '../../src/auth/request-context';
import type { ComputeCost } from './cost/operation-cost';
import type { ListRootFields } from './cost/root-fields';
import type { FormattedError } from './formatted-error';
import type { MaybePromise } from './maybe-promise';

export interface OperationResult {
  /** An object, or JSON text in output `json`. Null when a null reached the root; absent when nothing was executed. */
  readonly data?: unknown;
  readonly errors?: readonly FormattedError[];
}

/** An operation that can be executed with variables. Neither function throws: failures are errors in the result. */
export interface PreparedOperation {
  readonly kind: 'query' | 'mutation' | 'subscription';
  execute(variables: unknown, context: RequestContext): MaybePromise<OperationResult>;
  /** Yields one result per event, or the only result of a query or mutation. */
  subscribe(variables: unknown, context: RequestContext): AsyncGenerator<OperationResult>;
}

/** An operation of a caller. */
export interface CallerOperation extends PreparedOperation {
  readonly costOf: ComputeCost;
  readonly rootFieldsOf: ListRootFields;
}
