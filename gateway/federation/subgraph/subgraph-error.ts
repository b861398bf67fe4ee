import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { isServiceError, type ServiceError } from '../../../src/errors/service-error';
import { reportedError } from '../../../src/persistence/database-outage';
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
 * - a database outage: SERVICE_UNAVAILABLE; its cause is logged once;
 * - any other error in this process: INTERNAL_SERVER_ERROR; the full cause is logged once;
 * - an error over HTTP: only its code (DOWNSTREAM_SERVICE_ERROR by default), details and status.
 *
 * `requestId`: the request for which it is logged.
 */
export function exposeSubgraphError(error: SubgraphError, log: Logger, requestId: string): FormattedError {
  if (!(error instanceof GraphQLError)) return exposeRemoteError(error);
  const cause = rootCause(error);
  const reported = reportedError(cause);
  if (!isServiceError(cause)) logOnce(log, { error, cause, reported, requestId });
  return reported === undefined ? INTERNAL_ERROR : formatServiceError(reported);
}

interface FailedResolver {
  readonly error: GraphQLError;
  readonly cause: Error;
  readonly reported: ServiceError | undefined;
  readonly requestId: string;
}

/** A database outage fails every request: its log lines are short. */
function logOnce(log: Logger, { error: { path }, cause, reported, requestId }: FailedResolver): void {
  if (logged.has(cause)) return;
  logged.add(cause);
  if (reported === undefined) log.error({ requestId, err: cause, path }, 'a resolver failed');
  else log.warn({ requestId, reason: cause.message, path }, 'a resolver failed because of the database');
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
