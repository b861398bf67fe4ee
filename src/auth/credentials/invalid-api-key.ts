import { serviceError, type ServiceError } from '../../errors/service-error';

/** Does not say which of them: a sender must not learn which keys exist. */
export const invalidApiKey = (): ServiceError =>
  serviceError('INVALID_API_KEY', { problem: 'missing, unknown, expired or revoked' });

/** For an access token where only API keys are accepted. */
export const missingApiKey = (): ServiceError =>
  serviceError('INVALID_API_KEY', { problem: 'missing, and an access token does not replace it here' });
