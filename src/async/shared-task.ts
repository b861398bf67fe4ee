import { interruptible } from './interruptible';
import { onAbort } from './race-abort';

/** Work that several callers wait for. It is aborted when the last of them has stopped waiting. */
export interface SharedTask<Result> {
  /**
   * Rejects with the signal's reason as soon as the signal aborts, even if the task ignores its own signal. A caller
   * without a signal waits until the end.
   */
  join(signal?: AbortSignal): Promise<Result>;
  /** True once all callers have stopped waiting. A later caller must start another task. */
  readonly isAbandoned: boolean;
}

export interface SharedTaskOptions {
  /** Makes the reason with which the task's signal aborts. */
  readonly abandonReason?: (() => unknown) | undefined;
  /** Called when the task has settled, before its callers resume. */
  readonly onSettled?: () => void;
}

/** Starts `run` at once. */
export function startSharedTask<Result>(
  run: (signal: AbortSignal) => Promise<Result>,
  { abandonReason, onSettled }: SharedTaskOptions = {},
): SharedTask<Result> {
  const controller = new AbortController();
  const running = run(controller.signal);
  let waiting = 0;
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
    onSettled?.();
  };
  running.then(settle, settle);
  return {
    join(signal) {
      waiting += 1;
      if (signal === undefined) return running;
      return interruptible(running, ({ reject }) =>
        onAbort(signal, () => {
          waiting -= 1;
          if (waiting === 0 && !isSettled) controller.abort(abandonReason?.());
          reject(signal.reason as Error);
        }),
      );
    },
    get isAbandoned() {
      return controller.signal.aborted;
    },
  };
}
