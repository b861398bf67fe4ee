/** Notifies one reader of changes, however many happen between two of its calls. */
export interface ChangeSignal {
  readonly notify: () => void;
  /** Resolves at the next change since the last call, at once if there was one meanwhile, and when `signal` aborts. */
  readonly changed: (signal: AbortSignal) => Promise<void>;
}

export function createChangeSignal(): ChangeSignal {
  let isDirty = false;
  let wake: (() => void) | undefined;
  return {
    notify() {
      isDirty = true;
      wake?.();
    },
    async changed(signal) {
      if (!isDirty && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = (): void => {
            signal.removeEventListener('abort', onAbort);
            wake = undefined;
            resolve();
          };
          const onAbort = wake;
          signal.addEventListener('abort', onAbort);
        });
      }
      isDirty = false;
    },
  };
}
