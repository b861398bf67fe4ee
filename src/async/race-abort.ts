import { setMaxListeners } from 'node:events';
import { interruptible } from './interruptible';

/**
 * Settles as `work` does, or rejects with the signal's reason when the signal aborts first. For work that may ignore its
 * signal. The work goes on; if it fails later, the failure is ignored.
 */
export function rejectOnAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return interruptible(work, ({ reject }) => onAbort(signal, () => reject(signal.reason as Error)));
}

/** Settles as `work` does, or resolves to `undefined` when the signal aborts first. Otherwise like `rejectOnAbort`. */
export function resolveOnAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
  return interruptible<Result | undefined>(work, ({ resolve }) => onAbort(signal, () => resolve(undefined)));
}

/** Calls back on abort, at once if the signal has aborted before. Returns the function that removes the listener. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) callback();
  else {
    // One request may wait for many reads at once. Each listener is removed when its wait ends, so there is no leak to warn of.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', callback, { once: true });
  }
  return () => signal.removeEventListener('abort', callback);
}
