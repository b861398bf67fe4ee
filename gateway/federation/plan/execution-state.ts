import type { RequestContext } from '../../../src/auth/request-context';
import type { FormattedError, ResponsePath } from '../formatted-error';
import type { DataObject } from './merge';

/** An error of a subgraph, before it is told to the caller. */
export interface CollectedError {
  readonly error: FormattedError;
  /** In the keys of the data. */
  readonly path: ResponsePath | undefined;
  /** False when the failure concerns everything below the path, as that of a whole request does. */
  readonly isExact: boolean;
}

/** What one execution of an operation collects. */
export interface ExecutionState {
  /** Coerced, and still JSON. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: RequestContext;
  /** Answers of the subgraphs, merged. */
  readonly data: DataObject;
  /** Answers to `__schema` and `__type`, by response key. */
  readonly introspection: Readonly<Record<string, unknown>>;
  readonly errors: CollectedError[];
  /** Set by projection when a value does not fit the schema. */
  violated: boolean;
}

/** One failing entity of a long list is an error for every position of it. */
export const MAX_ERRORS = 100;

export function reportError(state: ExecutionState, error: CollectedError): void {
  if (state.errors.length < MAX_ERRORS) state.errors.push(error);
}
