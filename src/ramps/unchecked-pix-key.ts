import { isServiceError } from '../errors/service-error';
import type { RampId } from './ramp-provider';

/** A lookup of a Pix key that failed, after which the key was accepted. */
export interface UncheckedPixKey {
  readonly ramp: RampId;
  /** A price, an executable quote or its execution, or the payout of a deposit. */
  readonly step: 'price' | 'execution' | 'payout';
  readonly failure: LookupFailure;
}

export type OnUncheckedPixKey = (key: UncheckedPixKey) => void;

/** `serverError` when the ramp responded with 5xx, else `unavailable`. */
export type LookupFailure = 'serverError' | 'unavailable';

/** How the lookup of a Pix key failed; `undefined` for every other error, such as that of a key that does not exist. */
export function lookupFailureOf(error: unknown): LookupFailure | undefined {
  if (!isServiceError(error) || error.code !== 'PIX_KEY_LOOKUP_FAILED') return undefined;
  const status = error.details?.['upstreamStatus'];
  return typeof status === 'number' && status >= 500 ? 'serverError' : 'unavailable';
}
