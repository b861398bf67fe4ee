/** Something that may not take longer than the limit. */
interface Running {
  /** On the clock of `performance`. */
  readonly endsAt: number;
  readonly expire: () => void;
}

/** A time that many things may take, each from its own start. */
export interface TimeLimit {
  /** Calls back when the time is over, unless it is stopped before. */
  start(expire: () => void): Running;
  stop(running: Running): void;
}

/**
 * One timer for all, which is cheaper than one for each: what starts later ends later, so that it only ever waits for the
 * first of those that run. It does not keep the process alive.
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
