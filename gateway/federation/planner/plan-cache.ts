import { LRUCache } from 'lru-cache';
import type { MaybePromise } from '../maybe-promise';
import { createSingleFlight } from '../../../src/async/single-flight';

export interface PlanCacheOptions {
  /** Most entries. */
  readonly entries: number;
  /** Most characters of documents and plans together: what is compiled from them grows with them. */
  readonly characters: number;
}

export interface Sized<Value> {
  readonly value: Value;
  /** Characters. */
  readonly size: number;
}

export interface PlanCache<Value> {
  /** The value of a key; `create` is called once for all that ask before it is there. A failure is not kept. */
  get(key: string, create: () => Promise<Sized<Value>>): MaybePromise<Value>;
}

/** Keeps what was used last, within both limits. */
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
