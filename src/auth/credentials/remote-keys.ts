import { createRemoteJWKSet, customFetch, errors, type FetchImplementation, type JWTVerifyGetKey } from 'jose';
import { serviceError } from '../../errors/service-error';
import { InvariantError } from '../../errors/invariant-error';

/** Minimum interval between fetches for unknown key ids, which any caller can invent. */
const COOLDOWN_MS = 30_000;
/** The same while no keys are cached. */
const FIRST_FETCH_COOLDOWN_MS = 1000;
/** Keys older than this are fetched again, so that withdrawn keys stop working. */
const REFRESH_AFTER_MS = 300_000;
/** Time limit of one fetch. */
const TIMEOUT_MS = 5000;

/** Finds the key of a token. */
export type RemoteKeys = JWTVerifyGetKey & {
  /** Fetches the keys when none are cached. `stale`: the last fetch failed, and earlier keys are in use. */
  readonly state: () => Promise<KeysState>;
};

export type KeysState = 'ok' | 'stale' | 'down';

/**
 * The public keys of an identity provider (JWKS). While the provider is unavailable, the last fetched keys remain in use.
 *
 * @throws SERVICE_UNAVAILABLE (from the function returned) while no keys could be fetched yet.
 */
export function createRemoteKeys(url: string, timeoutMs = TIMEOUT_MS): RemoteKeys {
  let attemptedAt = -Infinity;
  let isStale = false;
  const hasKeys = (): boolean => keys.jwks() !== undefined;
  const fetchWithCooldown: FetchImplementation = (address, options) => {
    const cooldown = hasKeys() ? COOLDOWN_MS : FIRST_FETCH_COOLDOWN_MS;
    if (Date.now() < attemptedAt + cooldown)
      return Promise.reject(new InvariantError('the JWKS were requested a moment ago'));
    attemptedAt = Date.now();
    return fetch(address, options);
  };
  const keys = createRemoteJWKSet(new URL(url), {
    cooldownDuration: COOLDOWN_MS,
    cacheMaxAge: Infinity, // keys must survive an outage of the provider; they are refreshed below
    timeoutDuration: timeoutMs,
    [customFetch]: fetchWithCooldown,
  });
  const reload = (): Promise<void> =>
    keys.reload().then(
      () => void (isStale = false),
      () => void (isStale = hasKeys()),
    );
  const getKey: JWTVerifyGetKey = async (header, token) => {
    if (hasKeys() && Date.now() > attemptedAt + REFRESH_AFTER_MS) void reload();
    try {
      return await keys(header, token);
    } catch (cause) {
      if (hasKeys()) throw cause instanceof errors.JOSEError ? cause : new errors.JWKSNoMatchingKey();
      throw serviceError(
        'SERVICE_UNAVAILABLE',
        { reason: 'the identity provider does not respond. Retry later' },
        { cause },
      );
    }
  };
  const state = async (): Promise<KeysState> => {
    if (!hasKeys()) await reload();
    if (!hasKeys()) return 'down';
    return isStale ? 'stale' : 'ok';
  };
  return Object.assign(getKey, { state });
}
