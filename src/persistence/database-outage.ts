import { isServiceError, serviceError, type ServiceError } from '../errors/service-error';

/** No connection to the database: it refuses connections, does not respond, or all connections of the pool are busy. */
export class DatabaseConnectionError extends Error {
  override readonly name = 'DatabaseConnectionError';
}

/** The database recovers within seconds or not at all; a request costs it little while it is down. */
const RETRY_AFTER_SECONDS = 1;

/**
 * SQLSTATEs of a database that cannot serve now: lost connections (08), exhausted resources (53), shutdown and restart
 * (57P), a replica after a failover (25006), a failed disk (58030).
 */
const UNAVAILABLE_STATES = /^(?:08...|53...|57P..|25006|58030)$/;
/** SQLSTATE of a statement that exceeded its timeout. */
const SLOW_STATE = '57014';
/** SQLSTATEs of a lock timeout, a serialization failure and a deadlock. */
const CONTENTION_STATES = new Set(['55P03', '40001', '40P01']);

/** Codes of the client for a database that is unreachable or does not respond, and for transactions that could not run. */
const UNAVAILABLE_CLIENT_CODES = new Set(['P1001', 'P1002', 'P1008', 'P1011', 'P1017', 'P2024', 'P2028', 'P2037']);
const CONTENTION_CLIENT_CODES = new Set(['P2034']);
const UNAVAILABLE_KINDS = new Set([
  ...['DatabaseNotReachable', 'SocketTimeout', 'ConnectionClosed', 'TooManyConnections', 'TlsConnectionError'],
]);

/** Errors of the driver, which have no code. */
const UNAVAILABLE_MESSAGES = [
  'Query read timeout',
  'Connection terminated',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
];

/**
 * The SERVICE_UNAVAILABLE error for a failure that the database causes and that passes by itself: an outage, a timeout, or
 * too much contention. `undefined` for any other error, which is a bug.
 */
export function databaseOutage(error: unknown): ServiceError | undefined {
  for (const failure of causesOf(error)) {
    const reason = costlyReason(failure);
    if (reason !== undefined) return unavailable({ reason, counted: true }, error);
    if (isUnavailable(failure)) return unavailable({ reason: 'the database does not respond. Retry later' }, error);
  }
  return undefined;
}

/** The error to report for a failure: a database outage that caused it, else the failure itself when it has a code. */
export const reportedError = (error: unknown): ServiceError | undefined =>
  databaseOutage(error) ?? (isServiceError(error) ? error : undefined);

/** True for a deadlock, a lock that was not obtained in time, and a serialization failure: the transaction may succeed when repeated. */
export const isContentionError = (error: unknown): boolean => [...causesOf(error)].some(isContention);

/** True for a statement that the server ended at its time limit. */
export const isStatementTimeout = (error: unknown): boolean =>
  [...causesOf(error)].some((failure) => stateOf(failure) === SLOW_STATE);

/** `counted`: the caller's own requests may be the cause, so that they count against the rate limit. */
const unavailable = ({ reason, ...counted }: { reason: string; counted?: true }, cause: unknown): ServiceError =>
  serviceError('SERVICE_UNAVAILABLE', { reason }, { details: { retryAfter: RETRY_AFTER_SECONDS, ...counted }, cause });

/** Why a request used the database up to a time limit. */
function costlyReason(failure: Failure): string | undefined {
  if (isContention(failure)) return 'too many concurrent changes of the same data. Retry later';
  return stateOf(failure) === SLOW_STATE ? 'the request took the database too long. Retry later' : undefined;
}

/** The fields of the database client's and the driver's errors. */
interface Failure {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly severity?: unknown;
  readonly kind?: unknown;
  readonly originalCode?: unknown;
  readonly cause?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown } | null;
}

const MAX_DEPTH = 6;

/** An error with its causes. The database client keeps the error of the driver in `meta`. */
function* causesOf(error: unknown): Generator<Failure> {
  let current = error;
  for (let depth = 0; depth < MAX_DEPTH && typeof current === 'object' && current !== null; depth += 1) {
    const failure = current as Failure;
    yield failure;
    current = failure.cause ?? failure.meta?.driverAdapterError;
  }
}

const isContention = (failure: Failure): boolean =>
  CONTENTION_STATES.has(stateOf(failure)) ||
  CONTENTION_CLIENT_CODES.has(clientCodeOf(failure)) ||
  failure.kind === 'TransactionWriteConflict';

const isUnavailable = (failure: Failure): boolean =>
  failure instanceof DatabaseConnectionError ||
  UNAVAILABLE_STATES.test(stateOf(failure)) ||
  UNAVAILABLE_CLIENT_CODES.has(clientCodeOf(failure)) ||
  UNAVAILABLE_KINDS.has(String(failure.kind)) ||
  UNAVAILABLE_MESSAGES.some((message) => failure.message === message || failure.message === `${message} unexpectedly`);

/** SQLSTATE of an error of the server, as the driver or the database client reports it. */
function stateOf({ code, severity, kind, originalCode }: Failure): string {
  if (typeof originalCode === 'string') return originalCode;
  return typeof code === 'string' && (typeof severity === 'string' || kind === 'postgres') ? code : '';
}

const clientCodeOf = ({ name, code }: Failure): string =>
  typeof code === 'string' && typeof name === 'string' && name.startsWith('PrismaClient') ? code : '';
