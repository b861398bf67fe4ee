import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { isServiceError } from '../../../src/errors/service-error';
import { type FormattedError, formatServiceError, INTERNAL_ERROR, type ResponsePath } from '../formatted-error';

/** An error in a subgraph's response: a `GraphQLError` when it runs in this process, JSON when it responds over HTTP. */
export interface SubgraphError {
  readonly message: string;
  readonly path?: ResponsePath | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** Causes that were already logged: a failing loader rejects every position of a list with the same error. */
const logged = new WeakSet();

/**
 * Formats a subgraph's error for callers, without its path.
 *
 * - a `ServiceError` of a resolver: its code and details;
 * - any other error in this process: INTERNAL_SERVER_ERROR; the full cause is logged once;
 * - an error over HTTP: only its code (DOWNSTREAM_SERVICE_ERROR by default), details and status.
 */
export function exposeSubgraphError(error: SubgraphError, log: Logger): FormattedError {
  if (!(error instanceof GraphQLError)) return exposeRemoteError(error);
  const cause = rootCause(error);
  if (isServiceError(cause)) return formatServiceError(cause);
  if (!logged.has(cause)) {
    logged.add(cause);
    log.error({ err: cause, path: error.path }, 'a resolver failed');
  }
  return INTERNAL_ERROR;
}

function rootCause(error: GraphQLError): Error {
  let cause: Error = error;
  while (cause instanceof GraphQLError && cause.originalError instanceof Error) cause = cause.originalError;
  return cause;
}

function exposeRemoteError({ message, extensions = {} }: SubgraphError): FormattedError {
  const { code, details, status } = extensions;
  return {
    message,
    extensions: {
      code: typeof code === 'string' ? code : 'DOWNSTREAM_SERVICE_ERROR',
      ...(details === undefined ? {} : { details }),
      ...(typeof status === 'number' ? { status } : {}),
    },
  };
}
