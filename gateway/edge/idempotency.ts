import { createHash } from 'node:crypto';
import { retry } from '../../src/async/retry';
import type { ClaimedRequest, IdempotentRequest } from '../../src/auth/idempotency/idempotency-store';
import type { Principal } from '../../src/auth/principal';
import { serviceError } from '../../src/errors/service-error';
import { databaseOutage } from '../../src/persistence/database-outage';
import type { MaybePromise } from '../federation/maybe-promise';
import type { GraphDependencies } from './dependencies';
import { requestProblem } from './failure';

const KEY = /^[\x21-\x7e]{1,255}$/;
/** Delays before the end of a request is stored again, while the database is lost. */
const REPEAT_AFTER_MS = [250, 500, ...Array.from({ length: 60 }, () => 1000)];
/** Longest time of a statement: none is sent so late that the key may have been taken over meanwhile. */
const STATEMENT_MS = 10_000;

type IdempotencyDependencies = Pick<GraphDependencies, 'idempotency' | 'log'>;

/** A response that is ready to be sent, and to be stored for a repeated request. */
export interface RenderedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** True for a failure after which the same request may succeed later; see `isRetryable` of `failure.ts`. */
  readonly isRetryable?: boolean;
}

/** A request that carries an `Idempotency-Key`. */
export interface KeyedRequest {
  readonly key: string;
  /** Keys belong to the customer. */
  readonly principal: Principal;
  /**
   * Two requests are the same when their operation and variables are equal, and for access tokens the user: a response may
   * contain what another user of the customer may not see.
   */
  readonly operation: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Id of the HTTP request, for the log. */
  readonly requestId: string;
  /** Whether a response is stored for repeated requests. By default, every response but a retryable failure. */
  readonly isStorable?: (response: RenderedResponse) => boolean;
}

const isFinal = ({ isRetryable }: RenderedResponse): boolean => isRetryable !== true;

/**
 * Executes a request once for its key. The first storable response is kept for 24 hours and returned to repeated requests.
 * A request that is refused before it is executed does not use up its key.
 *
 * @throws VALIDATION_ERROR for a malformed key and for a key that was used for another request; IDEMPOTENCY_KEY_IN_USE
 */
export async function executeOnce(
  deps: IdempotencyDependencies,
  keyed: KeyedRequest,
  execute: () => MaybePromise<RenderedResponse>,
): Promise<RenderedResponse> {
  const request = identityOf(keyed);
  const lockedUntil = performance.now() + deps.idempotency.lockMs;
  const begun = await deps.idempotency.begin(request);
  if (begun.outcome === 'mismatch') throw requestProblem(422, 'idempotency-key', 'was used for another request');
  if (begun.outcome === 'running') throw serviceError('IDEMPOTENCY_KEY_IN_USE');
  if (begun.outcome === 'replay') {
    return { ...begun.response, headers: { ...begun.response.headers, 'idempotency-replayed': 'true' } };
  }
  const { isStorable = isFinal, requestId } = keyed;
  return executeStarted(deps, { claimed: begun.claimed, isStorable, requestId, lockedUntil }, execute);
}

interface StartedRequest extends Required<Pick<KeyedRequest, 'isStorable' | 'requestId'>> {
  readonly claimed: ClaimedRequest;
  /** Time of `performance.now` from which on another request may take over the key. */
  readonly lockedUntil: number;
}

async function executeStarted(
  { idempotency, log }: IdempotencyDependencies,
  started: StartedRequest,
  execute: () => MaybePromise<RenderedResponse>,
): Promise<RenderedResponse> {
  const { claimed, isStorable, requestId, lockedUntil } = started;
  let response: RenderedResponse | undefined;
  try {
    response = await execute();
    return response;
  } finally {
    const stored = response !== undefined && isStorable(response) ? response : undefined;
    const end = (): Promise<void> =>
      stored === undefined ? idempotency.abandon(claimed) : idempotency.complete(claimed, stored);
    // The operation has taken effect: the caller gets the response even when it cannot be stored.
    await end().catch((error: unknown) => {
      log.error({ requestId, err: error }, 'an idempotent response could not be stored');
      if (databaseOutage(error) !== undefined) void endLater(end, lockedUntil);
    });
  }
}

/** Stores the end of a request when the database is back: until then a repeated request is refused. */
async function endLater(end: () => Promise<void>, lockedUntil: number): Promise<void> {
  const remainingMs = Math.floor(lockedUntil - STATEMENT_MS - performance.now());
  if (remainingMs <= 0) return;
  const signal = AbortSignal.timeout(remainingMs);
  const isRetryable = (error: unknown): boolean => databaseOutage(error) !== undefined;
  await retry(end, { delaysMs: REPEAT_AFTER_MS, isRetryable, signal }).catch(() => undefined); // the lock ends by itself
}

function identityOf({ key, principal, operation, variables }: KeyedRequest): IdempotentRequest {
  if (!KEY.test(key)) throw requestProblem(422, 'idempotency-key', 'must be 1 to 255 visible ASCII characters');
  const hash = createHash('sha256').update(operation).update('\n').update(JSON.stringify(variables));
  if (principal.kind === 'bearer') hash.update('\n').update(principal.subject);
  return { customerId: principal.customerId, key, requestHash: hash.digest() };
}
