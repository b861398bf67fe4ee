import type { Logger } from 'pino';
import { isServiceError } from '../../src/errors/service-error';
import type { RequestFailure } from './failure';
import { isOverloadError } from './overload/overload-error';

/**
 * Logs a 5xx failure with its cause. Failures that the caller causes only appear in the request log, and refusals because of
 * too much work are counted in one line.
 */
export function logFailure(
  log: Logger,
  failure: RequestFailure,
  occurrence: { requestId: string; error: unknown },
): void {
  const { error, requestId } = occurrence;
  if (failure.status < 500 || isOverloadError(error)) return;
  const cause = isServiceError(error) ? error.cause : undefined;
  log.error({ requestId, code: failure.code, err: error, cause }, 'request failed');
}
