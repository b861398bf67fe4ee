import { LRUCache } from 'lru-cache';
import type { MaybePromise } from '../maybe-promise';

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
  const underWay = new Map<string, Promise<Value>>();
  const createOnce = async (key: string, create: () => Promise<Sized<Value>>): Promise<Value> => {
    try {
      const { value, size } = await create();
      kept.set(key, value, { size });
      return value;
    } finally {
      underWay.delete(key);
    }
  };
  return {
    get(key, create) {
      const known = kept.get(key) ?? underWay.get(key);
      if (known !== undefined) return known;
      const creating = createOnce(key, create);
      underWay.set(key, creating);
      return creating;
    },
  };
}
