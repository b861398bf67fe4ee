import type { FastifyRequest } from 'fastify';
import { CATALOG, type ErrorCode } from '../../src/errors/catalog';
import { serviceError, type ServiceError } from '../../src/errors/service-error';
import { reportedError } from '../../src/persistence/database-outage';
import type { OperationResult } from '../federation/federated-graph';

/** The error of a failed request, as the caller sees it. */
export interface RequestFailure {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: unknown;
}

type OperationError = NonNullable<OperationResult['errors']>[number];

const MASKED: RequestFailure = {
  status: CATALOG.INTERNAL_SERVER_ERROR.status,
  code: 'INTERNAL_SERVER_ERROR',
  message: CATALOG.INTERNAL_SERVER_ERROR.message,
};

/** A problem of the request itself, as one entry of `details.errors`. */
export const requestProblem = (status: number, path: string, message: string): ServiceError =>
  serviceError(
    'VALIDATION_ERROR',
    { reason: `${path} ${message}` },
    { status, details: { errors: [{ path, message }] } },
  );

/** Errors that Fastify raises itself, by its error code. */
const FRAMEWORK_PROBLEMS: Readonly<Record<string, ServiceError>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: requestProblem(422, 'content-type', 'must be application/json'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: requestProblem(400, 'content-length', 'does not match the body'),
  FST_ERR_BAD_URL: requestProblem(422, 'path', 'is not valid percent-encoding'),
};

const MB = 1024 * 1024;

/** Turns a thrown value into a failure. Anything unexpected is masked. `bodyLimit`: limit of the route, in bytes. */
export function requestFailure(thrown: unknown, bodyLimit = MB): RequestFailure {
  const error = reportedError(thrown) ?? frameworkProblem(frameworkCode(thrown), bodyLimit);
  if (error === undefined) return MASKED;
  const { status, code, message, details } = error;
  return details === undefined ? { status, code, message } : { status, code, message, details };
}

/** The caller disconnected before its body was complete: only the request log shows it. */
const INCOMPLETE = requestFailure(requestProblem(400, 'body', 'did not arrive completely'));

/** Like `requestFailure`, for what is thrown while a request is received or handled. */
export function failureOf(
  thrown: unknown,
  { raw, routeOptions }: Pick<FastifyRequest, 'raw' | 'routeOptions'>,
): RequestFailure {
  const hungUp = raw.destroyed && !raw.complete && frameworkCode(thrown) === 'ECONNRESET';
  return hungUp ? INCOMPLETE : requestFailure(thrown, routeOptions.bodyLimit);
}

function frameworkProblem(code: string | undefined, bodyLimit: number): ServiceError | undefined {
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return requestProblem(413, 'body', `is larger than ${bodyLimit / MB} MB`);
  return FRAMEWORK_PROBLEMS[code ?? ''];
}

/** Turns an error of the graph into a failure. */
export function operationFailure({ message, extensions }: OperationError): RequestFailure {
  const { code, details } = extensions;
  if (!isErrorCode(code) || code === 'INTERNAL_SERVER_ERROR') return MASKED;
  const status = statusIn(extensions) ?? CATALOG[code].status;
  return details === undefined ? { status, code, message } : { status, code, message, details };
}

/** True when the same request may succeed later. Its failure is therefore not stored for an `Idempotency-Key`. */
export const isRetryable = ({ code, status }: { readonly code: string; readonly status?: number }): boolean =>
  !isErrorCode(code) || CATALOG[code].retryable || (status ?? CATALOG[code].status) >= 500;

/** The `details` of a failure. A failure with a 5xx status carries the request id under which it was logged. */
export function failureDetails({ status, details }: RequestFailure, requestId: string): unknown {
  if (status < 500) return details;
  return { ...(typeof details === 'object' ? details : {}), requestId };
}

/** The error envelope as JSON text. */
export const renderEnvelope = (failure: RequestFailure, requestId: string): string =>
  JSON.stringify({
    error: { code: failure.code, message: failure.message, details: failureDetails(failure, requestId) },
  });

/** For a service that is unavailable without an estimate of how long. */
const DEFAULT_RETRY_AFTER_SECONDS = 1;

/** Seconds to wait before a retry. Every SERVICE_UNAVAILABLE has them. */
export function retryAfterSeconds({ code, details }: RequestFailure): number | undefined {
  const fallback = code === 'SERVICE_UNAVAILABLE' ? DEFAULT_RETRY_AFTER_SECONDS : undefined;
  if (typeof details !== 'object' || details === null || !('retryAfter' in details)) return fallback;
  return typeof details.retryAfter === 'number' ? details.retryAfter : fallback;
}

/**
 * True when the caller is not charged for the failed request: the service is unavailable, and the error does not say
 * otherwise (`details.counted`), as at a time limit and for missing configuration.
 */
export function isUncharged({ code, details }: RequestFailure): boolean {
  if (code !== 'SERVICE_UNAVAILABLE') return false;
  return typeof details !== 'object' || details === null || !('counted' in details) || details.counted !== true;
}

/** Set for the few codes that the API specification uses with two statuses. */
const statusIn = (extensions: OperationError['extensions'] & { readonly status?: unknown }): number | undefined =>
  typeof extensions.status === 'number' ? extensions.status : undefined;

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(CATALOG, code);

function frameworkCode(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}
