import { serviceError } from '../../errors/service-error';
import { validationError } from '../../errors/validation';
import type { AccessTokenVerifier } from './access-token-verifier';
import type { ApiKeyVerifier } from './api-key-verifier';
import { apiKeyRequired, missingApiKey } from './invalid-api-key';
import type { Principal } from '../principal';

/** The credentials that a route accepts. */
export type RouteAuthentication = 'apiKey' | 'bearer' | 'apiKeyOrBearer';

/** The raw header values of a request's credentials, and the client's address. */
export interface Credentials {
  readonly apiKey: string | undefined;
  readonly authorization: string | undefined;
  readonly clientAddress: string;
}

/**
 * Authenticates the sender of a request.
 *
 * @throws AUTHENTICATION_REQUIRED, INVALID_API_KEY, INVALID_AUTH_TOKEN (401), FORBIDDEN (403), VALIDATION_ERROR (422,
 * malformed `Authorization`), RATE_LIMITED (429, too many wrong keys from one address), SERVICE_UNAVAILABLE (503).
 */
export interface Authenticator {
  authenticate(credentials: Credentials, accepts: RouteAuthentication): Promise<Principal>;
}

export interface AuthenticatorDeps {
  readonly verifyApiKey: ApiKeyVerifier;
  readonly verifyAccessToken: AccessTokenVerifier;
}

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  return {
    authenticate: (credentials, accepts) =>
      accepts === 'bearer'
        ? authenticateBearer(deps, credentials)
        : authenticateApiKeyFirst(deps, credentials, accepts),
  };
}

async function authenticateBearer(deps: AuthenticatorDeps, { apiKey, authorization }: Credentials): Promise<Principal> {
  if (authorization !== undefined) return deps.verifyAccessToken(bearerTokenOf(authorization));
  const reason =
    apiKey === undefined
      ? 'send an access token as Authorization: Bearer <token>'
      : 'this route does not accept API keys. Send an access token as Authorization: Bearer <token>';
  throw serviceError('AUTHENTICATION_REQUIRED', { reason });
}

async function authenticateApiKeyFirst(
  deps: AuthenticatorDeps,
  { apiKey, authorization, clientAddress }: Credentials,
  accepts: 'apiKey' | 'apiKeyOrBearer',
): Promise<Principal> {
  // The API key takes precedence: existing clients send arbitrary Authorization headers with it.
  if (apiKey !== undefined) return deps.verifyApiKey(apiKey, clientAddress);
  if (authorization === undefined) throw apiKeyRequired();
  const token = bearerTokenOf(authorization);
  if (accepts === 'apiKey') throw missingApiKey();
  return deps.verifyAccessToken(token);
}

/** The three parts of a JWT. The third is empty for `alg: none`, which the verifier rejects. */
const BEARER = /^Bearer +([\w-]+\.[\w-]+\.[\w-]*)$/i;

function bearerTokenOf(authorization: string): string {
  const [, token] = BEARER.exec(authorization) ?? [];
  if (token !== undefined) return token;
  throw validationError([
    { path: 'authorization', message: 'must be "Bearer <access token>". Send an API key in the x-api-key header' },
  ]);
}
