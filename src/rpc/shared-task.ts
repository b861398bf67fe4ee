/** Something that several callers wait for. It is given up when the last of them has given up. */
export interface SharedTask<Result> {
  /** Rejects with the reason of the signal as soon as it is aborted, whatever the task does. */
  join(signal: AbortSignal): Promise<Result>;
  /** True once everybody has given up: whoever comes now needs another one. */
  readonly isAbandoned: boolean;
}

/** Starts `run` at once. */
export function sharedTask<Result>(run: (signal: AbortSignal) => Promise<Result>): SharedTask<Result> {
  const controller = new AbortController();
  const running = run(controller.signal);
  running.catch(() => undefined); // those who wait hear of it
  let waiting = 0;
  let done = false;
  const finish = (): void => {
    done = true;
  };
  running.then(finish, finish);
  return {
    join(signal) {
      waiting += 1;
      return settledBefore(running, signal).finally(() => {
        waiting -= 1;
        if (waiting === 0 && !done) controller.abort();
      });
    },
    get isAbandoned() {
      return controller.signal.aborted;
    },
  };
}

function settledBefore<Result>(running: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason as Error);
    if (signal.aborted) {
      giveUp();
      return;
    }
    signal.addEventListener('abort', giveUp, { once: true });
    running.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
