import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { isServiceError } from '../../../src/errors/service-error';
import { type FormattedError, formatServiceError, INTERNAL_ERROR, type ResponsePath } from '../formatted-error';

/** An error in the answer of a subgraph: a `GraphQLError` when it runs in this process, JSON when it answered over HTTP. */
export interface SubgraphError {
  readonly message: string;
  readonly path?: ResponsePath | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** Causes that were logged: a loader that fails rejects every position of a list with one error. */
const logged = new WeakSet();

/**
 * What callers see of a subgraph's error, without its path.
 *
 * - a `ServiceError` of a resolver: its code and details;
 * - anything else thrown in this process: INTERNAL_SERVER_ERROR, and the cause is logged once, whole;
 * - an error that came over HTTP: its code (DOWNSTREAM_SERVICE_ERROR by default) and details, nothing else of its extensions.
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
