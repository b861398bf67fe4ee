import type { Authenticator } from '../../src/auth/credentials/authenticator';
import { invalidApiKey } from '../../src/auth/credentials/invalid-api-key';
import type { IdempotencyStore } from '../../src/auth/idempotency/idempotency-store';
import type { CustomerId, Principal } from '../../src/auth/principal';
import type { RateLimiter, RateLimitWindow } from '../../src/auth/rate-limit/rate-limiter';

export const API_KEY = 'sk_live_benchmark';

const PRINCIPALS: ReadonlyMap<string, Principal> = new Map([
  [API_KEY, { kind: 'apiKey', keyId: 'benchmark', customerId: 'benchmark' as CustomerId }],
]);

/** Credentials that are all cached already. */
export const authenticator: Authenticator = {
  authenticate({ apiKey }) {
    const principal = PRINCIPALS.get(apiKey ?? '');
    return principal === undefined ? Promise.reject(invalidApiKey()) : Promise.resolve(principal);
  },
};

const LIMIT = 1_000_000_000;
const WINDOWS = [
  { name: 'minute', seconds: 60 },
  { name: 'hour', seconds: 3600 },
] as const;

const refund = (): Promise<void> => Promise.resolve();

/** Counts like the real rate limit, and rejects no request. */
export function createRateLimiter(): RateLimiter {
  const startedAt = performance.now();
  const counts = new Map<string, number>();
  return {
    consume(subject, cost) {
      const key = subject.kind === 'caller' ? subject.callerId : subject.address;
      const count = (counts.get(key) ?? 0) + cost;
      counts.set(key, count);
      const elapsed = Math.floor((performance.now() - startedAt) / 1000);
      const windows = WINDOWS.map(({ name, seconds }): RateLimitWindow => ({
        name,
        limit: LIMIT,
        remaining: LIMIT - count,
        resetSeconds: seconds - (elapsed % seconds),
      }));
      return Promise.resolve({ allowed: true, windows, retryAfter: undefined, exceeded: undefined, refund });
    },
  };
}

/** No measured request has a key. */
export const idempotency: IdempotencyStore = {
  lockMs: 60_000,
  begin: (request) => Promise.resolve({ outcome: 'started', claimed: { ...request, claim: '1' } }),
  complete: () => Promise.resolve(),
  abandon: () => Promise.resolve(),
};
