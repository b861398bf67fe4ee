import type { FastifyRequest } from 'fastify';
import { isServiceError } from '../../src/errors/service-error';
import type { Credentials, RouteAuthentication } from '../../src/auth/authenticator';
import { charge } from './charge';
import type { GatewayDependencies } from './dependencies';

type AdmissionDependencies = Pick<GatewayDependencies, 'authenticator' | 'rateLimiter'>;

/**
 * Lets a request in: its credential holds and its allowance is not spent. A refused credential is charged to the address.
 *
 * @throws AUTHENTICATION_REQUIRED, INVALID_API_KEY, INVALID_AUTH_TOKEN, VALIDATION_ERROR, FORBIDDEN, RATE_LIMIT_EXCEEDED, RATE_LIMITED
 */
export async function admit(
  deps: AdmissionDependencies,
  request: FastifyRequest,
  accepted: RouteAuthentication,
): Promise<void> {
  await identify(deps, request, () => deps.authenticator.authenticate(credentialsOf(request), accepted));
  await charge(deps.rateLimiter, request, 1);
}

/** As `admit`, but a request without any credential comes in as nobody: fields that need somebody refuse it. */
export async function admitAnyone(deps: AdmissionDependencies, request: FastifyRequest): Promise<void> {
  const credentials = optionalCredentialsOf(request);
  if (credentials !== undefined) {
    await identify(deps, request, () => deps.authenticator.authenticate(credentials, 'apiKeyOrBearer'));
  }
  await charge(deps.rateLimiter, request, 1);
}

/**
 * Looks again whether the credential of a request holds that was let in by `admitAnyone`: a stream may outlive it.
 *
 * @throws INVALID_API_KEY, INVALID_AUTH_TOKEN, FORBIDDEN
 */
export async function readmit(
  { authenticator }: Pick<AdmissionDependencies, 'authenticator'>,
  request: FastifyRequest,
): Promise<void> {
  const credentials = optionalCredentialsOf(request);
  if (credentials !== undefined) await authenticator.authenticate(credentials, 'apiKeyOrBearer');
}

/** `undefined` when there is none. */
function optionalCredentialsOf(request: FastifyRequest): Credentials | undefined {
  const { apiKey, ...others } = credentialsOf(request);
  // The header editor of GraphiQL starts with an empty key: that is none, not a bad one.
  const credentials = { ...others, apiKey: apiKey === '' ? undefined : apiKey };
  return credentials.apiKey === undefined && credentials.authorization === undefined ? undefined : credentials;
}

async function identify(
  deps: AdmissionDependencies,
  request: FastifyRequest,
  authenticate: () => ReturnType<AdmissionDependencies['authenticator']['authenticate']>,
): Promise<void> {
  try {
    request.scope.principal = await authenticate();
  } catch (error) {
    const alreadyLimited = isServiceError(error) && error.status === 429;
    if (!alreadyLimited) await charge(deps.rateLimiter, request, 1);
    throw error;
  }
}

function credentialsOf({ headers, ip }: FastifyRequest): Credentials {
  const apiKey = headers['x-api-key'];
  return {
    apiKey: Array.isArray(apiKey) ? apiKey.join(', ') : apiKey,
    authorization: headers.authorization,
    clientAddress: ip,
  };
}
