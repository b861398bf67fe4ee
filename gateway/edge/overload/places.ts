import { type AdaptiveLimit, createAdaptiveLimit } from './adaptive-limit';

/** Frees the places of a request. Idempotent. */
export type Leave = () => void;

/** The places of one kind of work, and how long requests take them. */
export interface Places {
  readonly running: number;
  readonly limit: AdaptiveLimit;
  /** True when the places are free. A request above the limit runs alone. */
  fits(size: number): boolean;
  /** `onFree` is called when the places are free again. */
  take(size: number, onFree: () => void): Leave;
  /** The time until a place is free for a request with this number of others before it. 0 until a request has ended. */
  expectedWaitMs(ahead: number): number;
}

/** Weight of the newest request in the mean. */
const NEWEST = 0.1;

export function createPlaces(maximum: number): Places {
  const limit = createAdaptiveLimit(maximum);
  let running = 0;
  /** Mean of milliseconds × places of a request. */
  let meanWork = 0;
  return {
    get running() {
      return running;
    },
    limit,
    fits: (size) => running === 0 || running + size <= limit.value,
    take(size, onFree) {
      const startedAt = performance.now();
      running += size;
      limit.observe(running);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        running -= size;
        const work = (performance.now() - startedAt) * size;
        meanWork = meanWork === 0 ? work : meanWork + (work - meanWork) * NEWEST;
        onFree();
      };
    },
    expectedWaitMs: (ahead) => ((ahead + 1) * meanWork) / limit.value,
  };
}
