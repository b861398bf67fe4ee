/** What an interruption may do with the promise that it ends. */
export interface Settle<Result> {
  resolve(result: Result): void;
  reject(reason: unknown): void;
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
    let isSettled = false;
    let disarm: (() => void) | undefined;
    const settle = (end: () => void): void => {
      if (isSettled) return;
      isSettled = true;
      disarm?.();
      end();
    };
    disarm = arm({
      resolve: (result) => settle(() => resolve(result)),
      reject: (reason) => settle(() => reject(reason as Error)),
    });
    if (isSettled) disarm(); // interrupted while it was being armed
    work.then(
      (result) => settle(() => resolve(result)),
      (reason: unknown) => settle(() => reject(reason as Error)),
    );
  });
}
