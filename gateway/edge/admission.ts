import type { FastifyRequest } from 'fastify';
import { isServiceError } from '../../src/errors/service-error';
import type { Credentials, RouteAuthentication } from '../../src/auth/credentials/authenticator';
import { countRequest } from './count-request';
import type { GraphDependencies } from './dependencies';

type AdmissionDependencies = Pick<GraphDependencies, 'authenticator' | 'rateLimiter'>;

/**
 * Admits a request whose credential is valid and whose rate limit is not exhausted. A request with an invalid credential
 * counts against its address.
 *
 * @throws AUTHENTICATION_REQUIRED, INVALID_API_KEY, INVALID_AUTH_TOKEN, VALIDATION_ERROR, FORBIDDEN, RATE_LIMIT_EXCEEDED, RATE_LIMITED
 */
export async function admit(
  deps: AdmissionDependencies,
  request: FastifyRequest,
  accepted: RouteAuthentication,
): Promise<void> {
  await authenticate(deps, request, () => deps.authenticator.authenticate(credentialsOf(request), accepted));
  await countRequest(deps.rateLimiter, request, 1);
}

/** Like `admit`, but also admits a request without credentials: fields that need a principal refuse it. */
export async function admitAnonymous(deps: AdmissionDependencies, request: FastifyRequest): Promise<void> {
  const credentials = optionalCredentialsOf(request);
  if (credentials !== undefined) {
    await authenticate(deps, request, () => deps.authenticator.authenticate(credentials, 'apiKeyOrBearer'));
  }
  await countRequest(deps.rateLimiter, request, 1);
}

/**
 * Checks the credential of an admitted request again, because an event stream may outlive it.
 *
 * @throws INVALID_API_KEY, INVALID_AUTH_TOKEN, FORBIDDEN
 */
export async function reauthenticate(
  { authenticator }: Pick<AdmissionDependencies, 'authenticator'>,
  request: FastifyRequest,
): Promise<void> {
  const credentials = optionalCredentialsOf(request);
  if (credentials !== undefined) await authenticator.authenticate(credentials, 'apiKeyOrBearer');
}

/** `undefined` when the request has none. */
function optionalCredentialsOf(request: FastifyRequest): Credentials | undefined {
  const { apiKey, ...others } = credentialsOf(request);
  // GraphiQL's header editor starts with an empty key, which counts as no key rather than as an invalid one.
  const credentials = { ...others, apiKey: apiKey === '' ? undefined : apiKey };
  return credentials.apiKey === undefined && credentials.authorization === undefined ? undefined : credentials;
}

async function authenticate(
  deps: AdmissionDependencies,
  request: FastifyRequest,
  findPrincipal: () => ReturnType<AdmissionDependencies['authenticator']['authenticate']>,
): Promise<void> {
  try {
    request.scope.principal = await findPrincipal();
  } catch (error) {
    if (isRefusedCredential(error)) await countRequest(deps.rateLimiter, request, 1);
    throw error;
  }
}

/** False for a failure of the service, which the caller did not cause, and for an address that is limited already. */
const isRefusedCredential = (error: unknown): boolean =>
  isServiceError(error) && error.status < 500 && error.status !== 429;

function credentialsOf({ headers, ip }: FastifyRequest): Credentials {
  const apiKey = headers['x-api-key'];
  return {
    apiKey: Array.isArray(apiKey) ? apiKey.join(', ') : apiKey,
    authorization: headers.authorization,
    clientAddress: ip,
  };
}
