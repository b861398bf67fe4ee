import { serviceError, type ServiceError } from '../errors/service-error';

/** RAMP_AMOUNT_OUT_OF_RANGE. The bounds are decimals with their currency; an unknown bound is left out. */
export function amountRangeError(
  { minimum, maximum }: { readonly minimum: string | undefined; readonly maximum: string | undefined },
  cause?: unknown,
): ServiceError {
  const bounds = [
    ...(minimum === undefined ? [] : [`min ~${minimum}`]),
    ...(maximum === undefined ? [] : [`max ~${maximum}`]),
  ];
  const range = bounds.length === 0 ? NOT_REPORTED : bounds.join(', ');
  return serviceError('RAMP_AMOUNT_OUT_OF_RANGE', { range }, { cause });
}

/** AMOUNT_EXCEEDS_PROVIDER_LIMIT. `remaining` is a decimal with its currency, `undefined` when the ramp does not report it. */
export function remainingLimitError(remaining: string | undefined, cause?: unknown): ServiceError {
  const bound = remaining === undefined ? NOT_REPORTED : `max ~${remaining}`;
  return serviceError('AMOUNT_EXCEEDS_PROVIDER_LIMIT', { bound }, { cause });
}

const NOT_REPORTED = 'the ramp does not report it';
