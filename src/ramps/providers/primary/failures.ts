import { isServiceError, serviceError, type ServiceError } from '../../../errors/service-error';
import { providerUnavailable, UpstreamError } from '../../../http/upstream-error';
import { amountOutOfRange } from '../../ramp-limits';
import type { RampRoute } from '../../ramp-provider';

export const PRIMARY = 'primary';

/** Refusals that are final; after anything else, what was asked for may have happened or happen yet. */
const FINAL = new Set([400, 401, 403, 404, 405, 422]);
/** Refusals of what was asked for, not of who asks. */
const OF_THE_REQUEST = new Set([400, 404, 405, 422]);

const isUpstream = (error: unknown): error is UpstreamError => error instanceof UpstreamError;

export const isOutcomeUnknown = (error: unknown): boolean =>
  isUpstream(error) && !(error.kind === 'status' && FINAL.has(error.status ?? 0));

export const isRefused = (error: unknown): boolean =>
  isUpstream(error) && error.kind === 'status' && OF_THE_REQUEST.has(error.status ?? 0);

export const isStatus = (error: unknown, ...statuses: readonly number[]): boolean =>
  isUpstream(error) && error.status !== undefined && statuses.includes(error.status);

/** What the ramp said, to search for names of fields in it: never shown. */
export function refusalText(error: unknown): string {
  if (!isUpstream(error)) return '';
  return (typeof error.body === 'string' ? error.body : JSON.stringify(error.body ?? '')).toLowerCase();
}

/** The failure without what the ramp said: it may repeat what it was told of a person, and causes are logged. */
export const withoutBody = (error: unknown): unknown =>
  isUpstream(error) ? new UpstreamError(error.message, { ...factsOf(error), cause: error.cause }) : error;

const factsOf = ({ kind, status, retryAfterSeconds }: UpstreamError) => ({ kind, status, retryAfterSeconds });

export const rampUnavailable = (error: unknown): ServiceError =>
  isServiceError(error) ? error : providerUnavailable(PRIMARY, withoutBody(error));

/** Failures that a refusal of a quote or of a ticket tells, by the field that it names. */
function refusalOf(route: RampRoute, error: unknown): ServiceError | undefined {
  if (!isStatus(error, 400, 422)) return undefined;
  const said = refusalText(error);
  const cause = withoutBody(error);
  if (said.includes('limit')) {
    return serviceError('AMOUNT_EXCEEDS_PROVIDER_LIMIT', { maximum: 'the remaining limit' }, { cause });
  }
  if (/inputamount|outputamount/.test(said)) return amountOutOfRange(route, cause);
  if (/currency|paymentmethod|thirdparty/.test(said)) {
    return serviceError(
      'RAMP_PROVIDER_NOT_ELIGIBLE',
      { provider: PRIMARY, reason: 'it does not support this operation' },
      { cause },
    );
  }
  return undefined;
}

export function quoteFailure(route: RampRoute, error: unknown): ServiceError {
  if (isServiceError(error)) return error;
  const cause = withoutBody(error);
  return (
    refusalOf(route, error) ??
    serviceError('QUOTE_GENERATION_FAILED', { reason: 'the ramp returned no quote' }, { cause })
  );
}

export function ticketFailure(route: RampRoute, error: unknown): ServiceError {
  if (isServiceError(error)) return error;
  const cause = withoutBody(error);
  if (isStatus(error, 400, 422) && refusalText(error).includes('quotetoken')) {
    return serviceError('QUOTE_EXPIRED', {}, { cause });
  }
  return (
    refusalOf(route, error) ?? serviceError('BYTECODE_GENERATION_FAILED', { reason: 'the ramp rejected it' }, { cause })
  );
}

/** Status of an answer that says that the ramp itself is broken. */
export const serverErrorOf = (error: unknown): number | undefined =>
  isUpstream(error) && (error.status ?? 0) >= 500 ? error.status : undefined;
