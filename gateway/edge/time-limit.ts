/** A piece of work that is being timed. */
interface Running {
  /** On the clock of `performance`. */
  readonly endsAt: number;
  readonly expire: () => void;
}

/** A time limit for many pieces of work, each measured from its own start. */
export interface TimeLimit {
  /** Calls `expire` when the time is over, unless the work is stopped before. */
  start(expire: () => void): Running;
  stop(running: Running): void;
}

/**
 * Uses one timer for all, which is cheaper than one for each: work that starts later expires later, so the timer only
 * waits for the oldest. It does not keep the process alive.
 */
export function createTimeLimit(milliseconds: number): TimeLimit {
  const inOrder = new Set<Running>();
  let isWaiting = false;
  const wait = (forMs: number): void => {
    isWaiting = true;
    setTimeout(expireFirst, forMs).unref();
  };
  const expireFirst = (): void => {
    isWaiting = false;
    const now = performance.now();
    for (const running of inOrder) {
      if (running.endsAt > now) {
        wait(running.endsAt - now);
        return;
      }
      inOrder.delete(running);
      running.expire();
    }
  };
  return {
    start(expire) {
      const running = { endsAt: performance.now() + milliseconds, expire };
      inOrder.add(running);
      if (!isWaiting) wait(milliseconds);
      return running;
    },
    stop(running) {
      inOrder.delete(running);
    },
  };
}
