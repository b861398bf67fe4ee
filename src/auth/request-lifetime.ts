import { setMaxListeners } from 'node:events';

/**
 * The lifetime of a request's work, with an abort signal that is created on first use. Most requests are served from memory
 * and never use it, and creating a signal costs as much as the rest of their work.
 */
export interface Lifetime {
  hasEnded(): boolean;
  signal(): AbortSignal;
  /** Calls back when the lifetime ends; never when it has ended already. */
  onEnd(callback: () => void): void;
  /** Removes a callback. */
  offEnd(callback: () => void): void;
}

export interface EndableLifetime extends Lifetime {
  end(): void;
}

export function createLifetime(): EndableLifetime {
  let ended = false;
  let controller: AbortController | undefined;
  let callbacks: Set<() => void> | undefined;
  return {
    hasEnded: () => ended,
    signal() {
      controller ??= new AbortController();
      if (ended) controller.abort();
      return controller.signal;
    },
    onEnd(callback) {
      (callbacks ??= new Set()).add(callback);
    },
    offEnd(callback) {
      callbacks?.delete(callback);
    },
    end() {
      if (ended) return;
      ended = true;
      controller?.abort();
      const called = callbacks;
      callbacks = undefined;
      called?.forEach((callback) => callback());
    },
  };
}

/** A lifetime that ends when the signal aborts. */
export function lifetimeFromSignal(signal: AbortSignal): Lifetime {
  return {
    hasEnded: () => signal.aborted,
    signal: () => signal,
    onEnd(callback) {
      setMaxListeners(0, signal); // many operations listen to the same signal
      signal.addEventListener('abort', callback, { once: true });
    },
    offEnd(callback) {
      signal.removeEventListener('abort', callback);
    },
  };
}
