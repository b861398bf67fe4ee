import { isServiceError, serviceError, type ServiceError } from '../errors/service-error';
import { providerUnavailable } from '../http/upstream-error';

/** The service error itself, or PROVIDER_UNAVAILABLE: for failures while a quote is requested. */
export const asProviderUnavailable = (provider: string, error: unknown): ServiceError =>
  isServiceError(error) ? error : providerUnavailable(provider, error);

/** The service error itself, or BRIDGE_API_ERROR: for failures after a quote was given. */
export const asBridgeApiError = (error: unknown): ServiceError =>
  isServiceError(error) ? error : serviceError('BRIDGE_API_ERROR', {}, { cause: error });
