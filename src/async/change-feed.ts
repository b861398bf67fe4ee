import { type ChangeSignal, createChangeSignal } from './change-signal';

/** A watch on one item. */
export interface ChangeWatch extends Pick<ChangeSignal, 'changed'> {
  readonly close: () => void;
}

export interface ChangeFeedDeps {
  /** Versions of items by their keys. A missing item has none, and does not change. */
  readonly readVersions: (keys: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Called when items could not be read. The next poll reports the changes that were missed. */
  readonly onFailure: (error: unknown) => void;
  /** Milliseconds between two polls; 1,000 by default. */
  readonly pollMs?: number | undefined;
}

/** Notifies the watches of this process of changed items, with one read at a time for up to 500 of them. */
export interface ChangeFeed {
  /** `release` is called when the watch is closed. */
  watch(key: string, release: () => void): ChangeWatch;
}

interface Watcher extends ChangeSignal {
  version: string | undefined;
}

const POLL_MS = 1000;
/** Items that are read together: others are notified when they cannot be read. */
const MAX_KEYS = 500;

export function createChangeFeed({ readVersions, onFailure, pollMs = POLL_MS }: ChangeFeedDeps): ChangeFeed {
  const watchers = new Map<string, Set<Watcher>>();
  const state = { count: 0, polling: false };
  const notifySome = async (keys: readonly string[]): Promise<void> => {
    try {
      for (const [key, version] of await readVersions(keys)) {
        for (const watcher of watchers.get(key) ?? []) notify(watcher, version);
      }
    } catch (error) {
      onFailure(error);
    }
  };
  const notifyAll = async (): Promise<void> => {
    const keys = [...watchers.keys()];
    for (let start = 0; start < keys.length; start += MAX_KEYS) await notifySome(keys.slice(start, start + MAX_KEYS));
  };
  const poll = async (): Promise<void> => {
    state.polling = true;
    while (state.count > 0) {
      await new Promise((resolve) => setTimeout(resolve, pollMs).unref());
      await notifyAll();
    }
    state.polling = false;
  };
  return {
    watch(key, release) {
      const watcher: Watcher = { ...createChangeSignal(), version: undefined };
      const own = watchers.get(key) ?? new Set();
      watchers.set(key, own.add(watcher));
      state.count += 1;
      if (!state.polling) void poll();
      return {
        changed: watcher.changed,
        close: () => {
          release();
          if (own.delete(watcher)) state.count -= 1;
          if (own.size === 0 && watchers.get(key) === own) watchers.delete(key);
        },
      };
    },
  };
}

/** The first version that a watch sees may be newer than the item that its owner has read: it counts as a change. */
function notify(watcher: Watcher, version: string): void {
  if (watcher.version === version) return;
  watcher.version = version;
  watcher.notify();
}
