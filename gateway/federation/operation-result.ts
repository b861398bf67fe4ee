import type { RequestContext } from '../../src/auth/request-context';
import type { FormattedError } from './formatted-error';
import type { MaybePromise } from './maybe-promise';

export interface OperationResult {
  /** An object, or JSON text in output `json`; null when a null reached the root. Absent when nothing was executed. */
  readonly data?: unknown;
  readonly errors?: readonly FormattedError[];
}

/** An operation that can be executed with variables. Neither function throws: failures are errors in the result. */
export interface PreparedOperation {
  readonly kind: 'query' | 'mutation' | 'subscription';
  execute(variables: unknown, context: RequestContext): MaybePromise<OperationResult>;
  /** One result an event; for a query or a mutation, its only result. */
  subscribe(variables: unknown, context: RequestContext): AsyncGenerator<OperationResult>;
}
