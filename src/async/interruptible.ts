/** Settles the promise of an interruption. */
export interface Settle<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: Error) => void;
}

/**
 * Settles as `work` does, or earlier, as the interruption decides. `work` itself goes on; if it fails later, the failure is
 * ignored.
 *
 * - `arm` is called once and returns the function that removes its timers and listeners. That function is called exactly
 *   once, as soon as the promise is settled.
 */
export function interruptible<Result>(
  work: Promise<Result>,
  arm: (settle: Settle<Result>) => () => void,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const state: { isSettled: boolean; disarm?: () => void } = { isSettled: false };
    const settle = (end: () => void): void => {
      if (state.isSettled) return;
      state.isSettled = true;
      state.disarm?.();
      end();
    };
    const own: Settle<Result> = {
      resolve: (result) => settle(() => resolve(result)),
      reject: (reason) => settle(() => reject(reason)),
    };
    const disarm = arm(own);
    if (state.isSettled)
      disarm(); // interrupted while it was being armed
    else state.disarm = disarm;
    work.then(own.resolve, own.reject);
  });
}
