import type { Pool } from 'pg';
import type { Config } from '../config/config';
import type { PrismaClient } from '../persistence/client/client';
import { queryTimeouts } from '../persistence/connection-pool';
import { createLimitFinder, deploymentLimits, type FindCustomerLimit } from './customer-limits';
import { type AccessTokenRules, createAccessTokenVerifier } from './credentials/access-token-verifier';
import { createResponseSealer } from './idempotency/response-sealer';
import { createApiKeyVerifier } from './credentials/api-key-verifier';
import { type Authenticator, createAuthenticator } from './credentials/authenticator';
import { createCredentialStore } from './credentials/credential-store';
import { createCustomerGate } from './credentials/customer-gate';
import { createFailedKeyWindow } from './rate-limit/failed-key-window';
import { createIdempotencyStore, type IdempotencyStore } from './idempotency/idempotency-store';
import { createLastUsedKeys } from './credentials/last-used-keys';
import { createLookupCache } from './credentials/lookup-cache';
import { createRateLimiter, type RateLimiter } from './rate-limit/rate-limiter';
import { createRemoteKeys, type KeysState, type RemoteKeys } from './credentials/remote-keys';

/** Maximum age of cached records, so that a revocation takes effect within 5 s. */
const FOUND_FOR_MS = 4000;
const MISSING_FOR_MS = 10_000;
const CAPACITY = 50_000;
/** Minimum time to find a credential. With a longer timeout of statements it is that one, and never longer than a request may take. */
const MIN_CREDENTIAL_MS = 5000;
/** A request never waits longer for the count of a rate limit in the database. */
const MAX_COUNTING_MS = 10_000;

export interface AccessControl {
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly idempotency: IdempotencyStore;
  /** State of the identity provider; `undefined` without one. */
  readonly identityProviderState: (() => Promise<KeysState>) | undefined;
  readonly findLimit: FindCustomerLimit;
  stop(): Promise<void>;
}

export interface AccessControlDeps {
  readonly database: Pick<PrismaClient, 'apiKey' | 'customer' | 'member'>;
  readonly pool: Pool;
  readonly config: Omit<Config, 'chains'>;
  /** Timeout of fetching the keys of the identity provider, in milliseconds; 5,000 by default. */
  readonly keysTimeoutMs?: number;
}

/** Creates authentication, rate limits and idempotency on the deployment's database and identity provider. */
export function openAccessControl(deps: AccessControlDeps): AccessControl {
  const { database, pool, config, keysTimeoutMs } = deps;
  const store = createCredentialStore(database);
  const timeoutMs = Math.min(Math.max(MIN_CREDENTIAL_MS, config.DATABASE_TIMEOUT_MS), config.REQUEST_TIMEOUT_MS);
  const cached = { foundTtlMs: FOUND_FOR_MS, missingTtlMs: MISSING_FOR_MS, capacity: CAPACITY, timeoutMs };
  const findCustomer = createLookupCache({ ...cached, find: (id) => store.findCustomer(id) });
  // The absence of a member is cached no longer than its presence: a user who becomes one may lose rights.
  const findMember = createLookupCache({ ...cached, missingTtlMs: FOUND_FOR_MS, find: (key) => store.findMember(key) });
  const admit = createCustomerGate(findCustomer);
  const lastUsedKeys = createLastUsedKeys(store);
  const rules = accessTokenRules(config, keysTimeoutMs);
  const verifyApiKey = createApiKeyVerifier({
    pepper: config.API_KEY_PEPPER,
    findApiKey: createLookupCache({ ...cached, find: (id) => store.findApiKey(id) }),
    admit,
    failures: createFailedKeyWindow(config.RATE_LIMIT_PER_MINUTE_UNAUTHENTICATED),
    lastUsedKeys,
  });
  return {
    authenticator: createAuthenticator({
      verifyApiKey,
      verifyAccessToken: createAccessTokenVerifier({ rules, admit, findMember }),
    }),
    rateLimiter: createRateLimiter({
      pool,
      findCustomer,
      storeTimeoutMs: Math.min(queryTimeouts(config.DATABASE_TIMEOUT_MS).lock, MAX_COUNTING_MS),
      limits: {
        perMinute: config.RATE_LIMIT_PER_MINUTE,
        perHour: config.RATE_LIMIT_PER_HOUR,
        perMinuteUnauthenticated: config.RATE_LIMIT_PER_MINUTE_UNAUTHENTICATED,
      },
    }),
    idempotency: createIdempotencyStore({
      pool,
      lockSeconds: Math.ceil((2 * config.REQUEST_TIMEOUT_MS) / 1000),
      pepper: config.API_KEY_PEPPER,
      sealer: createResponseSealer(config),
    }),
    identityProviderState: rules?.keys.state,
    findLimit: createLimitFinder(deploymentLimits(config), findCustomer),
    stop: () => lastUsedKeys.stop(),
  };
}

function accessTokenRules(
  config: AccessControlDeps['config'],
  timeoutMs: number | undefined,
): (AccessTokenRules & { readonly keys: RemoteKeys }) | undefined {
  const { JWKS_URL, JWT_ISSUER, JWT_AUDIENCE } = config;
  if (JWKS_URL === undefined || JWT_ISSUER === undefined || JWT_AUDIENCE === undefined) return undefined;
  return {
    keys: createRemoteKeys(JWKS_URL, timeoutMs),
    issuer: JWT_ISSUER,
    audience: JWT_AUDIENCE,
    customerClaim: config.JWT_CUSTOMER_CLAIM,
    roleClaim: config.JWT_ROLE_CLAIM,
  };
}
