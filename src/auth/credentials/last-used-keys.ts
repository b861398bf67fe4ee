import { LRUCache } from 'lru-cache';
import { atMostEntries } from '../../async/cache-size';
import type { CredentialStore } from './credential-store';

const RECORD_INTERVAL_MS = 60_000;
const FLUSH_INTERVAL_MS = 2000;

/** Records the last use of API keys, accurate to a minute, without a write during a request. */
export interface LastUsedKeys {
  touch(keyId: string): void;
  /** Writes pending uses. */
  stop(): Promise<void>;
}

export function createLastUsedKeys(store: Pick<CredentialStore, 'recordUse'>): LastUsedKeys {
  const recorded = new LRUCache<string, true>({
    ...atMostEntries(50_000),
    ttl: RECORD_INTERVAL_MS,
    ttlResolution: 0,
    perf: Date,
  });
  const pending = new Set<string>();

  async function flush(): Promise<void> {
    if (pending.size === 0) return;
    const keyIds = [...pending];
    pending.clear();
    for (const keyId of keyIds) recorded.set(keyId, true);
    try {
      await store.recordUse(keyIds);
    } catch {
      // The database is unavailable, which the requests themselves report. The next use is recorded instead.
      for (const keyId of keyIds) recorded.delete(keyId);
    }
  }

  /** The write in progress. The next one begins when it has ended. */
  let flushing: Promise<void> | undefined;
  const begin = (): void => {
    flushing ??= flush().finally(() => {
      flushing = undefined;
    });
  };
  const timer = setInterval(begin, FLUSH_INTERVAL_MS).unref();
  return {
    touch(keyId) {
      if (!recorded.has(keyId)) pending.add(keyId);
    },
    async stop() {
      clearInterval(timer);
      await flushing;
      await flush();
    },
  };
}
