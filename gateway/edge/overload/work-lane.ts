import { createFairQueue } from '../../../src/async/fair-queue';
import type { Lifetime } from '../../../src/auth/request-lifetime';
import { createTimeLimit, type TimeLimit } from '../time-limit';
import { overloadError } from './overload-error';
import { createPlaces, type Leave } from './places';

export interface WorkLaneOptions {
  /** Shown in errors. */
  readonly name: string;
  /** Maximum number of places that are taken at a time, when the event loop has no delay. */
  readonly concurrency: number;
  /** Maximum number of requests that wait. */
  readonly maxWaiting: number;
  /** Maximum time that a request waits. */
  readonly maxWaitMs: number;
}

/** A request that takes places of a lane. */
export interface LaneRequest {
  /** The customer, or the network of a caller without credentials. */
  readonly caller: string;
  readonly size: number;
  /** A request whose lifetime ends leaves the queue. */
  readonly lifetime: Lifetime;
}

/**
 * A bounded number of places for one kind of work. Waiting callers get places in turns. Work that has begun is never
 * interrupted.
 */
export interface WorkLane {
  /**
   * Takes places, at once or when the turn of the request comes.
   *
   * @throws SERVICE_UNAVAILABLE, with the seconds until a retry, when its turn would not come in time.
   */
  enter(request: LaneRequest): Promise<Leave>;
  /** Adapts the number of places: fewer while the event loop is slow, more while they are all taken. */
  adapt(isSlow: boolean): void;
  readonly state: { readonly running: number; readonly waiting: number; readonly limit: number };
}

interface Waiting {
  readonly size: number;
  readonly resolve: (leave: Leave) => void;
  readonly reject: (error: Error) => void;
  /** Removes what waits with it: the time limit, and the callback of its lifetime. */
  readonly stop: () => void;
}

export function createWorkLane({ name, concurrency, maxWaiting, maxWaitMs }: WorkLaneOptions): WorkLane {
  const queue = createFairQueue<Waiting>();
  const places = createPlaces(concurrency);
  const timeLimit = createTimeLimit(maxWaitMs);

  const serveWaiting = (): void => {
    for (let next = queue.peek(); next !== undefined && places.fits(next.size); next = queue.peek()) {
      queue.take();
      next.stop();
      next.resolve(places.take(next.size, serveWaiting));
    }
  };
  /** Makes room in a full queue at the expense of the caller that has the most requests in it. */
  const hasRoomFor = (caller: string): boolean => {
    if (queue.size < maxWaiting) return true;
    const displaced = queue.takeNewestAbove(queue.sizeOf(caller) + 1);
    displaced?.stop();
    displaced?.reject(overloadError(name, maxWaitMs));
    return displaced !== undefined;
  };
  const wait = ({ caller, lifetime }: LaneRequest, size: number): Promise<Leave> => {
    const waitMs = places.expectedWaitMs(queue.aheadOf(caller));
    if (lifetime.hasEnded() || waitMs > maxWaitMs || !hasRoomFor(caller)) {
      return Promise.reject(overloadError(name, Math.max(waitMs, maxWaitMs)));
    }
    return new Promise((resolve, reject) => {
      const stop = watch({ timeLimit, lifetime }, () => {
        stop();
        queue.remove(caller, waiting);
        reject(overloadError(name, maxWaitMs));
      });
      const waiting: Waiting = { size, resolve, reject, stop };
      queue.add(caller, waiting);
    });
  };

  return {
    enter(request) {
      const size = Math.min(request.size, concurrency);
      if (queue.size === 0 && places.fits(size)) return Promise.resolve(places.take(size, serveWaiting));
      places.limit.observe(concurrency);
      return wait(request, size);
    },
    adapt(isSlow) {
      places.limit.adapt(isSlow);
      serveWaiting();
    },
    get state() {
      return { running: places.running, waiting: queue.size, limit: places.limit.value };
    },
  };
}

/** Calls `giveUp` when the time limit or the lifetime ends first. Returns the function that stops both. */
function watch(
  { timeLimit, lifetime }: { readonly timeLimit: TimeLimit; readonly lifetime: Lifetime },
  giveUp: () => void,
): () => void {
  const running = timeLimit.start(giveUp);
  lifetime.onEnd(giveUp);
  return () => {
    timeLimit.stop(running);
    lifetime.offEnd(giveUp);
  };
}
