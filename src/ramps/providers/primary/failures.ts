import { isServiceError, serviceError, type ServiceError } from '../../../errors/service-error';
import { providerUnavailable, UpstreamError } from '../../../http/upstream-error';
import { remainingLimitError, unknownRangeError } from '../../amount-errors';

export const PRIMARY = 'primary';

/** Statuses after which the request had no effect. After any other failure it may have taken effect, or still may. */
const FINAL = new Set([400, 401, 403, 404, 405, 422]);
/** Statuses that refuse the content of a request, not its credentials. */
const CONTENT_REFUSALS = new Set([400, 404, 405, 422]);

const isUpstream = (error: unknown): error is UpstreamError => error instanceof UpstreamError;

export const isOutcomeUnknown = (error: unknown): boolean =>
  isUpstream(error) && !(error.kind === 'status' && FINAL.has(error.status ?? 0));

export const isRefused = (error: unknown): boolean =>
  isUpstream(error) && error.kind === 'status' && CONTENT_REFUSALS.has(error.status ?? 0);

export const isStatus = (error: unknown, ...statuses: readonly number[]): boolean =>
  isUpstream(error) && error.status !== undefined && statuses.includes(error.status);

/** The body of a refusal in lower case, to search for names of fields. Never returned to callers. */
export function refusalText(error: unknown): string {
  if (!isUpstream(error)) return '';
  return (typeof error.body === 'string' ? error.body : JSON.stringify(error.body ?? '')).toLowerCase();
}

/** The error without the ramp's response body, which may repeat personal data. Causes are logged. */
export const withoutBody = (error: unknown): unknown =>
  isUpstream(error) ? new UpstreamError(error.message, { ...pickFacts(error), cause: error.cause }) : error;

const pickFacts = ({ kind, isRead, status, retryAfterSeconds, upstreamCode }: UpstreamError) => ({
  kind,
  isRead,
  status,
  retryAfterSeconds,
  upstreamCode,
});

export const rampUnavailable = (error: unknown): ServiceError =>
  isServiceError(error) ? error : providerUnavailable(PRIMARY, withoutBody(error));

/** The code of a refused quote or ticket, by the field that the response names. */
function refusalError(error: unknown): ServiceError | undefined {
  if (!isStatus(error, 400, 422)) return undefined;
  const text = refusalText(error);
  const cause = withoutBody(error);
  if (text.includes('limit')) return remainingLimitError(undefined, cause);
  if (/inputamount|outputamount/.test(text)) return unknownRangeError(cause);
  if (/currency|paymentmethod|thirdparty/.test(text)) {
    return serviceError(
      'RAMP_PROVIDER_NOT_ELIGIBLE',
      { provider: PRIMARY, reason: 'it does not support this operation' },
      { cause },
    );
  }
  return undefined;
}

export function quoteFailure(error: unknown): ServiceError {
  if (isServiceError(error)) return error;
  const cause = withoutBody(error);
  return (
    refusalError(error) ?? serviceError('QUOTE_GENERATION_FAILED', { reason: 'the ramp returned no quote' }, { cause })
  );
}

export function ticketFailure(error: unknown): ServiceError {
  if (isServiceError(error)) return error;
  const cause = withoutBody(error);
  if (isStatus(error, 400, 422) && refusalText(error).includes('quotetoken')) {
    return serviceError('QUOTE_EXPIRED', {}, { cause });
  }
  return (
    refusalError(error) ?? serviceError('BYTECODE_GENERATION_FAILED', { reason: 'the ramp rejected it' }, { cause })
  );
}

/** The status of a 5xx response. */
export const serverErrorOf = (error: unknown): number | undefined =>
  isUpstream(error) && (error.status ?? 0) >= 500 ? error.status : undefined;
