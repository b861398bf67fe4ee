import { createHash } from 'node:crypto';
import type { IdempotentRequest } from '../../src/auth/idempotency/idempotency-store';
import type { Principal } from '../../src/auth/principal';
import { serviceError } from '../../src/errors/service-error';
import type { GraphDependencies } from './dependencies';
import { requestProblem } from './failure';

const KEY = /^[\x21-\x7e]{1,255}$/;

type IdempotencyDependencies = Pick<GraphDependencies, 'idempotency' | 'log'>;

/** A response that is ready to be sent, and to be stored for a repeated request. */
export interface RenderedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
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
  /** Whether a response is stored for repeated requests. By default, every response with a status below 500. */
  readonly isStorable?: (response: RenderedResponse) => boolean;
}

const isBelow500 = ({ status }: RenderedResponse): boolean => status < 500;

/**
 * Executes a request once for its key. The first storable response is kept for 24 hours and returned to repeated requests.
 * A request that is refused before it is executed does not use up its key.
 *
 * @throws VALIDATION_ERROR for a malformed key and for a key that was used for another request; IDEMPOTENCY_KEY_IN_USE
 */
export async function executeOnce(
  deps: IdempotencyDependencies,
  keyed: KeyedRequest,
  execute: () => Promise<RenderedResponse>,
): Promise<RenderedResponse> {
  const request = identityOf(keyed);
  const begun = await deps.idempotency.begin(request);
  if (begun.outcome === 'mismatch') throw requestProblem(422, 'idempotency-key', 'was used for another request');
  if (begun.outcome === 'running') throw serviceError('IDEMPOTENCY_KEY_IN_USE');
  if (begun.outcome === 'replay') {
    return { ...begun.response, headers: { ...begun.response.headers, 'idempotency-replayed': 'true' } };
  }
  const { isStorable = isBelow500, requestId } = keyed;
  return executeStarted(deps, { request, isStorable, requestId }, execute);
}

async function executeStarted(
  { idempotency, log }: IdempotencyDependencies,
  started: Required<Pick<KeyedRequest, 'isStorable' | 'requestId'>> & { readonly request: IdempotentRequest },
  execute: () => Promise<RenderedResponse>,
): Promise<RenderedResponse> {
  const { request, isStorable, requestId } = started;
  let response: RenderedResponse | undefined;
  try {
    response = await execute();
    return response;
  } finally {
    const stored = response !== undefined && isStorable(response) ? response : undefined;
    const ending = stored === undefined ? idempotency.abandon(request) : idempotency.complete(request, stored);
    // The operation has taken effect: the caller gets the response even when it cannot be stored.
    await ending.catch((error: unknown) =>
      log.error({ requestId, err: error }, 'an idempotent response could not be stored'),
    );
  }
}

function identityOf({ key, principal, operation, variables }: KeyedRequest): IdempotentRequest {
  if (!KEY.test(key)) throw requestProblem(422, 'idempotency-key', 'must be 1 to 255 visible ASCII characters');
  const hash = createHash('sha256').update(operation).update('\n').update(JSON.stringify(variables));
  if (principal.kind === 'bearer') hash.update('\n').update(principal.subject);
  return { customerId: principal.customerId, key, requestHash: hash.digest() };
}
