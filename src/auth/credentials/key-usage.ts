import { LRUCache } from 'lru-cache';
import type { CredentialStore } from './credential-store';

const NOTED_EVERY_MS = 60_000;
const FLUSH_EVERY_MS = 2000;

/** Tells when API keys were last used, to the minute, without a write on the way of a request. */
export interface KeyUsage {
  touch(keyId: string): void;
  /** Writes what is still to be written. */
  stop(): Promise<void>;
}

export function createKeyUsage(store: Pick<CredentialStore, 'recordUse'>): KeyUsage {
  const noted = new LRUCache<string, true>({ max: 50_000, ttl: NOTED_EVERY_MS, ttlResolution: 0, perf: Date });
  const pending = new Set<string>();

  async function flush(): Promise<void> {
    if (pending.size === 0) return;
    const keyIds = [...pending];
    pending.clear();
    for (const keyId of keyIds) noted.set(keyId, true);
    try {
      await store.recordUse(keyIds);
    } catch {
      // The database is away, which the requests themselves report: the next use is noted instead.
      for (const keyId of keyIds) noted.delete(keyId);
    }
  }

  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS).unref();
  return {
    touch(keyId) {
      if (!noted.has(keyId)) pending.add(keyId);
    },
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
