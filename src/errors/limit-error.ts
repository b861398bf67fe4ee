import { serviceError, type ServiceError } from './service-error';

/** A limit that a request exceeds. */
export interface ReachedLimit {
  /** Name of the limit, for programs. */
  readonly limit: string;
  readonly maximum: number;
  /** The limit in words. */
  readonly bound: string;
  /** Seconds. */
  readonly retryAfter: number;
}

/** The error for a request that exceeds a limit of its customer other than the request rate. */
export const limitError = ({ limit, maximum, bound, retryAfter }: ReachedLimit): ServiceError =>
  serviceError('RATE_LIMIT_EXCEEDED', { bound, retryAfter }, { details: { limit, maximum, retryAfter } });
