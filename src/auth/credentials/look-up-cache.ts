import { LRUCache } from 'lru-cache';
import { serviceError } from '../../errors/service-error';
import { createSingleFlight } from '../../async/single-flight';

export interface LookUpCacheOptions<Value> {
  find(key: string): Promise<Value | undefined>;
  /** For how long a value found may be used, counted from the start of the look-up. */
  readonly foundTtlMs: number;
  /** The same for "there is none". */
  readonly missingTtlMs: number;
  /** Upper bound of what is kept of either kind. */
  readonly capacity: number;
}

interface Entry<Value> {
  readonly value: Value | undefined;
  readonly until: number;
}

/**
 * Remembers look-ups for a short while. Callers that ask for the same key at once share one look-up, and keys that
 * do not exist cannot crowd out those that do.
 *
 * @throws SERVICE_UNAVAILABLE (from the function returned) when the look-up fails; failures are not remembered.
 */
export function createLookUpCache<Value>(
  options: LookUpCacheOptions<Value>,
): (key: string) => Promise<Value | undefined> {
  const found = new LRUCache<string, Entry<Value>>({ max: options.capacity });
  const missing = new LRUCache<string, Entry<Value>>({ max: options.capacity });
  const flight = createSingleFlight<Value | undefined>();

  async function lookUp(key: string): Promise<Value | undefined> {
    const started = Date.now();
    const value = await options.find(key).catch((cause: unknown) => {
      throw serviceError(
        'SERVICE_UNAVAILABLE',
        { reason: 'the credentials cannot be verified. Retry later' },
        { cause },
      );
    });
    if (value === undefined) {
      found.delete(key);
      missing.set(key, { value, until: started + options.missingTtlMs });
    } else {
      missing.delete(key);
      found.set(key, { value, until: started + options.foundTtlMs });
    }
    return value;
  }

  return (key) => {
    const kept = found.get(key) ?? missing.get(key);
    if (kept !== undefined && Date.now() < kept.until) return Promise.resolve(kept.value);
    return flight.join(key, () => lookUp(key));
  };
}
