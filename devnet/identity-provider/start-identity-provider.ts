import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createControl, type Outage } from './control';
import { openSigningKeys, type SigningKeys } from './signing-keys';

/** Fixed, so that tokens outlive a restart on another port. */
const ISSUER = 'https://identity-provider.localhost';
const AUDIENCE = 'afluente';
const HOST = '127.0.0.1';
const ONE_HOUR = 3600;

export interface AccessTokenRequest {
  readonly customerId: string;
  readonly subject: string;
  readonly role: string;
  /** May be negative: a token that has expired. Default one hour. */
  readonly expiresInSeconds?: number | undefined;
}

export interface IdentityProvider {
  readonly url: string;
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  /** A signed access token (JWT, ES256) with the claims `customer_id` and `role`. */
  issueToken(request: AccessTokenRequest): Promise<string>;
  /** Signs with a new key from now on; the one before stays published. */
  rotateKeys(): Promise<void>;
  stop(): Promise<void>;
}

export interface IdentityProviderOptions {
  /** A free one when not given. */
  readonly port?: number | undefined;
  /** Where the keys are kept over restarts. */
  readonly keyFile?: string | undefined;
}

/**
 * An identity provider on loopback: publishes its keys as a real one does (`/.well-known/openid-configuration`,
 * `/.well-known/jwks.json`) and accepts control requests from tests.
 *
 * - `POST /control/rotate`: a new signing key.
 * - `POST /control/outage` `{"mode": "none" | "error" | "hang"}`: how the well-known documents are served.
 * - `POST /control/token` `{customerId, subject, role, expiresInSeconds?}` → `{token}`.
 */
export async function startIdentityProvider(options: IdentityProviderOptions = {}): Promise<IdentityProvider> {
  const keys = await openSigningKeys(options.keyFile);
  const issueToken = (request: AccessTokenRequest): Promise<string> => keys.sign(claimsOf(request));
  let outage: Outage = 'none';
  const control = createControl({ issueToken, rotate: () => keys.rotate(), setOutage: (mode) => (outage = mode) });

  const server = createServer((request, response) => {
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.method === 'POST') {
      void control(request).then(({ status, body }) => send(status, body));
      return;
    }
    const document = documentOf(request.url ?? '', `http://${request.headers.host ?? HOST}`, keys);
    if (document === undefined) send(404, { error: 'not_found' });
    else if (outage === 'none') send(200, document);
    else if (outage === 'error') send(503, { error: 'temporarily_unavailable' });
    // 'hang': no response
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, HOST, resolve);
  });
  const url = `http://${HOST}:${String((server.address() as AddressInfo).port)}`;
  return {
    url,
    issuer: ISSUER,
    audience: AUDIENCE,
    jwksUrl: `${url}/.well-known/jwks.json`,
    issueToken,
    rotateKeys: () => keys.rotate(),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function documentOf(path: string, url: string, keys: SigningKeys): unknown {
  if (path === '/.well-known/jwks.json') return { keys: keys.published() };
  if (path !== '/.well-known/openid-configuration') return undefined;
  return {
    issuer: ISSUER,
    jwks_uri: `${url}/.well-known/jwks.json`,
    id_token_signing_alg_values_supported: ['ES256'],
  };
}

function claimsOf({ customerId, subject, role, expiresInSeconds = ONE_HOUR }: AccessTokenRequest) {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: subject,
    customer_id: customerId,
    role,
    iat: now,
    exp: now + expiresInSeconds,
  };
}
