import type { RequestContext } from '../../../src/auth/request-context';
import type { FormattedError, ResponsePath } from '../formatted-error';
import type { DataObject } from './merge';

/** An error of a subgraph, before it is located in the response. */
export interface CollectedError {
  readonly error: FormattedError;
  /** In the keys of the data. */
  readonly path: ResponsePath | undefined;
  /** False when the error concerns everything below the path, such as the failure of a whole request. */
  readonly isExact: boolean;
}

/** The data and errors that one execution of an operation collects. */
export interface ExecutionState {
  /** Coerced JSON values. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: RequestContext;
  /** Merged data of the subgraphs. */
  readonly data: DataObject;
  /** Values of `__schema` and `__type`, by response key. */
  readonly introspection: Readonly<Record<string, unknown>>;
  readonly errors: CollectedError[];
  /** Set by projection when a value does not fit the schema. */
  violated: boolean;
  /** Number of requests that repeated a lookup. */
  repeatedLookups: number;
}

/** Bounds the errors of an entity that fails at every position of a long list. */
export const MAX_ERRORS = 100;

export function addError(state: ExecutionState, error: CollectedError): void {
  if (state.errors.length < MAX_ERRORS) state.errors.push(error);
}
