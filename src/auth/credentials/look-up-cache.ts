import { LRUCache } from 'lru-cache';
import { serviceError } from '../../errors/service-error';

export interface LookUpCacheOptions<Value> {
  find(key: string): Promise<Value | undefined>;
  /** For how long a value found may be used, counted from the start of the look-up. */
  readonly foundForMs: number;
  /** The same for "there is none". */
  readonly missingForMs: number;
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
  const running = new Map<string, Promise<Value | undefined>>();

  async function lookUp(key: string): Promise<Value | undefined> {
    const started = Date.now();
    const value = await options.find(key).catch((cause: unknown) => {
      throw serviceError('SERVICE_UNAVAILABLE', { reason: 'the credentials cannot be checked' }, { cause });
    });
    if (value === undefined) {
      found.delete(key);
      missing.set(key, { value, until: started + options.missingForMs });
    } else {
      missing.delete(key);
      found.set(key, { value, until: started + options.foundForMs });
    }
    return value;
  }

  return (key) => {
    const kept = found.get(key) ?? missing.get(key);
    if (kept !== undefined && Date.now() < kept.until) return Promise.resolve(kept.value);
    const shared = running.get(key);
    if (shared !== undefined) return shared;
    const own = lookUp(key).finally(() => running.delete(key));
    running.set(key, own);
    return own;
  };
}
