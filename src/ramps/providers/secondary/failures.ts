import { isServiceError, serviceError, type ServiceError } from '../../../errors/service-error';
import { UpstreamError } from '../../../http/upstream-error';
import { remainingLimitError, unknownRangeError } from '../../amount-errors';
import { refusalText } from './api-schemas';

export const SECONDARY = 'secondary';

/** Statuses after which the request had no effect. */
const NO_EFFECT_STATUSES = new Set([400, 401, 403, 404, 405, 422]);
/** Statuses that refuse the content of a request, not its credentials or rate. */
const CONTENT_REFUSALS = new Set([400, 404, 409, 422]);

/** True when the request may have taken effect, or still may. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof UpstreamError && !(error.kind === 'status' && NO_EFFECT_STATUSES.has(error.status ?? 0));

export const isRefused = (error: unknown): boolean =>
  error instanceof UpstreamError && error.kind === 'status' && CONTENT_REFUSALS.has(error.status ?? 0);

/** True when the quote has expired, or was used for another ticket. */
export const isRefusedQuote = (error: unknown): boolean => isRefused(error) && refusalText(error).includes('quote');

const isNotFound = (error: unknown): boolean => error instanceof UpstreamError && error.status === 404;

type InvalidCode = 'INVALID_SECONDARY_RAMP_QUOTE' | 'INVALID_SECONDARY_RAMP_TICKET' | 'INVALID_SECONDARY_RAMP_CUSTOMER';

/** The subject of a response, which selects the code of an invalid response. */
export type ResponseSubject = 'QUOTE' | 'TICKET' | 'CUSTOMER' | 'OTHER';

/** The code of a failure that is not a refusal of the request's content. */
export function rampFailure(subject: ResponseSubject, cause: unknown): ServiceError {
  if (isServiceError(cause)) return cause;
  if (subject !== 'OTHER' && cause instanceof UpstreamError && cause.kind === 'unreadable') {
    const code: InvalidCode = `INVALID_SECONDARY_RAMP_${subject}`;
    return serviceError(code, {}, { cause });
  }
  return serviceError('SECONDARY_RAMP_API_ERROR', {}, { cause });
}

/** The code of a failed call for a customer. */
export const customerFailure = (subject: ResponseSubject, cause: unknown): ServiceError =>
  customerRefusal(cause) ?? rampFailure(subject, cause);

function customerRefusal(cause: unknown): ServiceError | undefined {
  if (!isRefused(cause)) return undefined;
  const text = refusalText(cause);
  if (text.includes('customer_not_allowed')) return serviceError('SECONDARY_RAMP_KYC_IN_PROGRESS', {}, { cause });
  if (isNotFound(cause) && text.includes('customer')) {
    return serviceError('SECONDARY_RAMP_KYC_NOT_PROVISIONED', {}, { cause });
  }
  return undefined;
}

/** The code of a failed quote or ticket. */
export function paymentFailure(subject: 'QUOTE' | 'TICKET', cause: unknown): ServiceError {
  if (isServiceError(cause)) return cause;
  return paymentRefusal(cause) ?? customerFailure(subject, cause);
}

/** The ramp's codes are not documented: they are recognised by words in them. */
function paymentRefusal(cause: unknown): ServiceError | undefined {
  if (!isRefused(cause)) return undefined;
  const text = refusalText(cause);
  if (text.includes('limit')) return remainingLimitError(undefined, cause);
  if (/amount|minimum|maximum/.test(text)) return unknownRangeError(cause);
  if (isRefusedQuote(cause)) return serviceError('QUOTE_EXPIRED', {}, { cause });
  if (/rail|currency|blockchain|network/.test(text)) return notEligible('it does not support this route', cause);
  return undefined;
}

export const notEligible = (reason: string, cause?: unknown): ServiceError =>
  serviceError('RAMP_PROVIDER_NOT_ELIGIBLE', { provider: SECONDARY, reason }, { cause });
