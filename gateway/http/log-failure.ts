import type { Logger } from 'pino';
import { isServiceError } from '../../src/errors/service-error';
import type { Failure } from '../rest/failure';

/** Logs a failure of ours whole, with what is underneath it; what callers did wrong is in the request log already. */
export function logFailure(log: Logger, failure: Failure, occurrence: { requestId: string; error: unknown }): void {
  const { error, requestId } = occurrence;
  if (failure.status < 500) return;
  const cause = isServiceError(error) ? error.cause : undefined;
  log.error({ requestId, code: failure.code, err: error, cause }, 'request failed');
}
