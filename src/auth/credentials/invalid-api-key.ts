import { serviceError, type ServiceError } from '../../errors/service-error';

/** Does not say which of them: a sender must not learn which keys exist. */
export const invalidApiKey = (): ServiceError =>
  serviceError('INVALID_API_KEY', { problem: 'missing, unknown, expired or revoked' });

/** For a request without any credential where an API key is accepted. */
export const apiKeyRequired = (): ServiceError =>
  serviceError('AUTHENTICATION_REQUIRED', { reason: 'send your API key in the x-api-key header' });

/** For an access token where only API keys are accepted. */
export const missingApiKey = (): ServiceError =>
  serviceError('INVALID_API_KEY', { problem: 'missing, and an access token does not replace it here' });
