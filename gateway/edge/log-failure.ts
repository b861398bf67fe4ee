import type { Logger } from 'pino';
import { isServiceError } from '../../src/errors/service-error';
import type { RequestFailure } from './failure';

/** Logs a 5xx failure with its cause. Failures that the caller causes only appear in the request log. */
export function logFailure(
  log: Logger,
  failure: RequestFailure,
  occurrence: { requestId: string; error: unknown },
): void {
  const { error, requestId } = occurrence;
  if (failure.status < 500) return;
  const cause = isServiceError(error) ? error.cause : undefined;
  log.error({ requestId, code: failure.code, err: error, cause }, 'request failed');
}
