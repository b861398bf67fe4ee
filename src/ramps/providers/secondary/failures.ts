import { isServiceError, serviceError, type ServiceError } from '../../../errors/service-error';
import { UpstreamError } from '../../../http/upstream-error';
import { amountOutOfRange } from '../../ramp-limits';
import type { RampRoute } from '../../ramp-provider';
import { refusalText } from './wire';

export const SECONDARY = 'secondary';

/** Refusals after which nothing of what was asked for has happened. */
const FINAL = new Set([400, 401, 403, 404, 405, 422]);
/** Refusals of what was asked for, not of who asks or how often. */
const OF_THE_REQUEST = new Set([400, 404, 409, 422]);

/** True when what was asked for may have happened, or happen yet. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof UpstreamError && !(error.kind === 'status' && FINAL.has(error.status ?? 0));

export const isRefused = (error: unknown): boolean =>
  error instanceof UpstreamError && error.kind === 'status' && OF_THE_REQUEST.has(error.status ?? 0);

/** The quote is over, or a ticket was opened with it before. */
export const isRefusedQuote = (error: unknown): boolean => isRefused(error) && refusalText(error).includes('quote');

const isNotFound = (error: unknown): boolean => error instanceof UpstreamError && error.status === 404;

type InvalidCode = 'INVALID_SECONDARY_RAMP_QUOTE' | 'INVALID_SECONDARY_RAMP_TICKET' | 'INVALID_SECONDARY_RAMP_CUSTOMER';

/** What the ramp answered with, for the code of an answer that cannot be used. */
export type ResponseSubject = 'QUOTE' | 'TICKET' | 'CUSTOMER' | 'OTHER';

/** The code of a failure that is not about what was asked for. */
export function rampFailure(subject: ResponseSubject, cause: unknown): ServiceError {
  if (isServiceError(cause)) return cause;
  if (subject !== 'OTHER' && cause instanceof UpstreamError && cause.kind === 'unreadable') {
    const code: InvalidCode = `INVALID_SECONDARY_RAMP_${subject}`;
    return serviceError(code, {}, { cause });
  }
  return serviceError('SECONDARY_RAMP_API_ERROR', {}, { cause });
}

/** The code of a failure of a call for a known customer. */
export const customerFailure = (subject: ResponseSubject, cause: unknown): ServiceError =>
  refusalOfCustomer(cause) ?? rampFailure(subject, cause);

function refusalOfCustomer(cause: unknown): ServiceError | undefined {
  if (!isRefused(cause)) return undefined;
  const said = refusalText(cause);
  if (said.includes('customer_not_allowed')) return serviceError('SECONDARY_RAMP_KYC_IN_PROGRESS', {}, { cause });
  if (isNotFound(cause) && said.includes('customer')) {
    return serviceError('SECONDARY_RAMP_KYC_NOT_PROVISIONED', {}, { cause });
  }
  return undefined;
}

/** The code of a failure to quote, or to open a ticket. */
export function movementFailure(subject: 'QUOTE' | 'TICKET', route: RampRoute, cause: unknown): ServiceError {
  if (isServiceError(cause)) return cause;
  return refusalOfMovement(route, cause) ?? customerFailure(subject, cause);
}

/** The catalogue of the ramp's codes is not published: they are told by the words in them. */
function refusalOfMovement(route: RampRoute, cause: unknown): ServiceError | undefined {
  if (!isRefused(cause)) return undefined;
  const said = refusalText(cause);
  if (said.includes('limit')) {
    return serviceError('AMOUNT_EXCEEDS_PROVIDER_LIMIT', { maximum: 'the remaining limit' }, { cause });
  }
  if (/amount|minimum|maximum/.test(said)) return amountOutOfRange(route, cause);
  if (isRefusedQuote(cause)) return serviceError('QUOTE_EXPIRED', {}, { cause });
  if (/rail|currency|blockchain|network/.test(said)) return notEligible('it does not support this route', cause);
  return undefined;
}

export const notEligible = (reason: string, cause?: unknown): ServiceError =>
  serviceError('RAMP_PROVIDER_NOT_ELIGIBLE', { provider: SECONDARY, reason }, { cause });
