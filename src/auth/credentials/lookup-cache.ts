import { LRUCache } from 'lru-cache';
import { atMostEntries } from '../../async/cache-size';
import { serviceError } from '../../errors/service-error';
import { resolveWithin } from '../../async/resolve-within';
import { createSingleFlight } from '../../async/single-flight';

export interface LookupCacheOptions<Value> {
  find(key: string): Promise<Value | undefined>;
  /** Lifetime of a found value, from the start of the lookup. */
  readonly foundTtlMs: number;
  /** Lifetime of a missing value. */
  readonly missingTtlMs: number;
  /** Maximum number of cached values, found and missing each. */
  readonly capacity: number;
  /** Time limit of a lookup: a database that does not respond must not hold up requests. */
  readonly timeoutMs: number;
}

const RETRY_AFTER_SECONDS = 1;

interface Entry<Value> {
  readonly value: Value | undefined;
  readonly expiresAt: number;
}

/**
 * Caches lookups for a short time. Concurrent callers for the same key share one lookup, and missing keys cannot evict found
 * ones.
 *
 * @throws SERVICE_UNAVAILABLE (from the function returned) when the lookup fails; failures are not cached.
 */
export function createLookupCache<Value>(
  options: LookupCacheOptions<Value>,
): (key: string) => Promise<Value | undefined> {
  const present = new LRUCache<string, Entry<Value>>(atMostEntries(options.capacity));
  const missing = new LRUCache<string, Entry<Value>>(atMostEntries(options.capacity));
  const flight = createSingleFlight<Value | undefined>();

  async function runLookup(key: string): Promise<Value | undefined> {
    const started = Date.now();
    const lookup = options.find(key).then((result) => ({ result }));
    const finished = await resolveWithin(lookup, options.timeoutMs).catch(unverifiable);
    const value = (finished ?? unverifiable()).result;
    if (value === undefined) {
      present.delete(key);
      missing.set(key, { value, expiresAt: started + options.missingTtlMs });
    } else {
      missing.delete(key);
      present.set(key, { value, expiresAt: started + options.foundTtlMs });
    }
    return value;
  }

  return (key) => {
    const cached = present.get(key) ?? missing.get(key);
    if (cached !== undefined && Date.now() < cached.expiresAt) return Promise.resolve(cached.value);
    return flight.join(key, () => runLookup(key));
  };
}

function unverifiable(cause?: unknown): never {
  const reason = 'the credentials cannot be verified. Retry later';
  throw serviceError('SERVICE_UNAVAILABLE', { reason }, { details: { retryAfter: RETRY_AFTER_SECONDS }, cause });
}
