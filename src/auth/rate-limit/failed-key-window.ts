import { LRUCache } from 'lru-cache';
import { atMostEntries } from '../../async/cache-size';
import { clientNetwork } from './client-address';

const WINDOW_MS = 60_000;

/** Counts invalid API keys by client address, in memory, so that guessing does not reach the database. */
export interface FailedKeyWindow {
  /** Seconds until the address may try again; `undefined` when it may. */
  retryAfter(address: string): number | undefined;
  add(address: string): void;
}

export function createFailedKeyWindow(failuresPerMinute: number): FailedKeyWindow {
  const windows = new LRUCache<string, { failures: number; readonly endsAt: number }>(atMostEntries(50_000));
  const current = (network: string) => {
    const window = windows.get(network);
    return window !== undefined && Date.now() < window.endsAt ? window : undefined;
  };
  return {
    retryAfter(address) {
      const window = current(clientNetwork(address));
      if (window === undefined || window.failures < failuresPerMinute) return undefined;
      return Math.ceil((window.endsAt - Date.now()) / 1000);
    },
    add(address) {
      const network = clientNetwork(address);
      const window = current(network);
      if (window === undefined) windows.set(network, { failures: 1, endsAt: Date.now() + WINDOW_MS });
      else window.failures += 1;
    },
  };
}
