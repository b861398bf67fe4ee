import { setMaxListeners } from 'node:events';

/**
 * How long the work of a request may go on: an abort signal that is made when it is first asked for. Most requests are
 * answered from memory and never ask, and making a signal costs as much as all the rest of their work.
 */
export interface Lifetime {
  isOver(): boolean;
  signal(): AbortSignal;
  /** Calls back when it is over, and not at all when it is over already. */
  onceOver(callback: () => void): void;
  /** Takes a callback back. */
  forget(callback: () => void): void;
}

export interface EndableLifetime extends Lifetime {
  end(): void;
}

export function createLifetime(): EndableLifetime {
  let over = false;
  let controller: AbortController | undefined;
  let callbacks: Set<() => void> | undefined;
  return {
    isOver: () => over,
    signal() {
      controller ??= new AbortController();
      if (over) controller.abort();
      return controller.signal;
    },
    onceOver(callback) {
      (callbacks ??= new Set()).add(callback);
    },
    forget(callback) {
      callbacks?.delete(callback);
    },
    end() {
      if (over) return;
      over = true;
      controller?.abort();
      const called = callbacks;
      callbacks = undefined;
      called?.forEach((callback) => callback());
    },
  };
}

/** The lifetime that a signal ends. */
export function lifetimeFromSignal(signal: AbortSignal): Lifetime {
  return {
    isOver: () => signal.aborted,
    signal: () => signal,
    onceOver(callback) {
      setMaxListeners(0, signal); // many wait for the same signal at a time
      signal.addEventListener('abort', callback, { once: true });
    },
    forget(callback) {
      signal.removeEventListener('abort', callback);
    },
  };
}
