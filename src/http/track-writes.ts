import { AsyncLocalStorage } from 'node:async_hooks';

/** Records failed writes of the work that it runs, also those whose error the work has handled. */
export interface WriteTracker {
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** True when a request other than a GET has failed in `run`: it may take effect late at the third party. */
  hasFailedWrite(): boolean;
}

const trackers = new AsyncLocalStorage<{ hasFailedWrite: boolean }>();

export function trackWrites(): WriteTracker {
  const state = { hasFailedWrite: false };
  return {
    run: (work) => trackers.run(state, work),
    hasFailedWrite: () => state.hasFailedWrite,
  };
}

/** Called by the HTTP client when a request other than a GET fails. */
export function recordFailedWrite(): void {
  const state = trackers.getStore();
  if (state !== undefined) state.hasFailedWrite = true;
}
