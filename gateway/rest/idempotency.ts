import { createHash } from 'node:crypto';
import type { IdempotentRequest } from '../../src/auth/idempotency';
import type { CustomerId } from '../../src/auth/principal';
import { serviceError } from '../../src/errors/service-error';
import type { GatewayDependencies } from '../http/dependencies';
import type { Answer } from './answer';
import { requestProblem } from './failure';

const KEY = /^[\x21-\x7e]{1,255}$/;

type IdempotencyDependencies = Pick<GatewayDependencies, 'idempotency' | 'log'>;

/** A call that carries an `Idempotency-Key`. */
export interface KeyedCall {
  readonly key: string;
  readonly customerId: CustomerId;
  /** What makes two calls the same: the operation and its variables. */
  readonly operation: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Whether a repeated call is given this answer; any that is no failure of ours when not given. */
  readonly isWorthKeeping?: (answer: Answer) => boolean;
}

const isNoFailureOfOurs = ({ status }: Answer): boolean => status < 500;

/**
 * Runs a call once for its key: the first answer is kept for 24 hours and given again to a repeated call, unless it is a
 * failure of ours. A call that is refused before it runs does not use up its key.
 *
 * @throws VALIDATION_ERROR for a malformed key and for one that was used for another call; IDEMPOTENCY_KEY_IN_USE
 */
export async function answerOnce(
  deps: IdempotencyDependencies,
  call: KeyedCall,
  run: () => Promise<Answer>,
): Promise<Answer> {
  const request = identityOf(call);
  const begun = await deps.idempotency.begin(request);
  if (begun.outcome === 'mismatch') throw requestProblem(422, 'idempotency-key', 'was used for another request');
  if (begun.outcome === 'running') throw serviceError('IDEMPOTENCY_KEY_IN_USE');
  if (begun.outcome === 'replay') {
    return { ...begun.response, headers: { ...begun.response.headers, 'idempotency-replayed': 'true' } };
  }
  return runStarted(deps, { request, isWorthKeeping: call.isWorthKeeping ?? isNoFailureOfOurs }, run);
}

interface StartedCall {
  readonly request: IdempotentRequest;
  readonly isWorthKeeping: (answer: Answer) => boolean;
}

async function runStarted(
  { idempotency, log }: IdempotencyDependencies,
  { request, isWorthKeeping }: StartedCall,
  run: () => Promise<Answer>,
): Promise<Answer> {
  let answer: Answer | undefined;
  try {
    answer = await run();
    return answer;
  } finally {
    const kept = answer !== undefined && isWorthKeeping(answer) ? answer : undefined;
    const ending = kept === undefined ? idempotency.abandon(request) : idempotency.complete(request, kept);
    // What was done is done: the caller gets its answer even when it cannot be kept.
    await ending.catch((error: unknown) => log.error({ err: error }, 'an idempotent call could not be ended'));
  }
}

function identityOf({ key, customerId, operation, variables }: KeyedCall): IdempotentRequest {
  if (!KEY.test(key)) throw requestProblem(422, 'idempotency-key', 'must be 1 to 255 visible ASCII characters');
  const requestHash = createHash('sha256').update(operation).update('\n').update(JSON.stringify(variables)).digest();
  return { customerId, key, requestHash };
}
