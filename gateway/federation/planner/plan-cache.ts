import { LRUCache } from 'lru-cache';
import type { MaybePromise } from '../maybe-promise';
import { createSingleFlight } from '../../../src/async/single-flight';

export interface PlanCacheOptions {
  /** Maximum number of entries. */
  readonly entries: number;
  /** Maximum number of characters of documents and plans together, as a measure of the memory that compiled operations use. */
  readonly characters: number;
}

export interface Sized<Value> {
  readonly value: Value;
  /** Characters. */
  readonly size: number;
}

export interface PlanCache<Value> {
  /** Returns the value of a key. Concurrent calls share one `create`. Failures are not cached. */
  get(key: string, create: () => Promise<Sized<Value>>): MaybePromise<Value>;
}

/** Creates a cache that keeps the most recently used values within both limits. */
export function createPlanCache<Value extends object>({ entries, characters }: PlanCacheOptions): PlanCache<Value> {
  const kept = new LRUCache<string, Value>({ max: entries, maxSize: characters });
  const flight = createSingleFlight<Value>();
  return {
    get(key, create) {
      return (
        kept.get(key) ??
        flight.join(key, async () => {
          const { value, size } = await create();
          kept.set(key, value, { size });
          return value;
        })
      );
    },
  };
}
