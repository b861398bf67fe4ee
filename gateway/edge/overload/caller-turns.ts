import type { MaybePromise } from '../../federation/maybe-promise';

/**
 * Shares the time of the event loop between callers. A request goes on at once, unless other requests of its caller have
 * just computed for long: these wait, while others are active. The time of a request counts until it waits for I/O.
 */
export interface CallerTurns {
  /** Returns `undefined` when a request of the caller may compute at once, otherwise a promise that resolves when it may. */
  take(caller: string): MaybePromise<void>;
}

/**
 * Milliseconds that the requests of a caller compute in one turn of the event loop before the next ones wait. After a longer
 * turn they wait as long as it took: a caller has half of the time while others are active.
 */
const TURN_MS = 5;
/** However long a turn took: the process may have been suspended. */
const MAX_PAUSE_MS = 500;
/** Others are active for this time after a request of theirs. */
const ACTIVE_MS = 1000;

/** The requests of one caller. Exists from its first request in a turn of the event loop until none computes or waits. */
interface Turn {
  computedMs: number;
  isComputing: boolean;
  isPaused: boolean;
  readonly waiting: (() => void)[];
}

/** `now` replaces the clock, in milliseconds. */
export function createCallerTurns(now = (): number => performance.now()): CallerTurns {
  const turns = new Map<string, Turn>();
  const activity = watchActivity(now);

  const isOpen = ({ isPaused, isComputing, computedMs }: Turn): boolean =>
    !isPaused && !isComputing && computedMs < TURN_MS;
  /** Counts the time until the work of the request waits for I/O: ticks run when no microtask is left. */
  const measure = (turn: Turn): void => {
    const startedAt = now();
    turn.isComputing = true;
    queueMicrotask(() => process.nextTick(endRequest, turn, startedAt));
  };
  const endRequest = (turn: Turn, startedAt: number): void => {
    turn.computedMs += now() - startedAt;
    turn.isComputing = false;
    resumeNext(turn);
  };
  const resumeNext = (turn: Turn): void => {
    const resume = isOpen(turn) ? turn.waiting.shift() : undefined;
    if (resume === undefined) return;
    measure(turn);
    resume();
  };
  const beginTurn = (caller: string, turn: Turn): void => {
    turn.isPaused = false;
    turn.computedMs = 0;
    if (turn.waiting.length === 0) {
      turns.delete(caller);
      return;
    }
    setImmediate(endTurn, caller, turn);
    resumeNext(turn);
  };
  const endTurn = (caller: string, turn: Turn): void => {
    turn.isPaused = turn.computedMs >= TURN_MS && activity.hasOthersThan(caller);
    if (turn.isPaused) setTimeout(beginTurn, Math.min(turn.computedMs, MAX_PAUSE_MS), caller, turn);
    else beginTurn(caller, turn);
  };
  const openTurn = (caller: string): Turn => {
    const turn: Turn = { computedMs: 0, isComputing: false, isPaused: false, waiting: [] };
    turns.set(caller, turn);
    setImmediate(endTurn, caller, turn);
    return turn;
  };

  return {
    take(caller) {
      activity.record(caller);
      const turn = turns.get(caller) ?? openTurn(caller);
      if (!isOpen(turn) || turn.waiting.length > 0) return new Promise<void>((resolve) => turn.waiting.push(resolve));
      measure(turn);
      return undefined;
    },
  };
}

/** Which callers have sent requests lately. */
interface Activity {
  record(caller: string): void;
  hasOthersThan(caller: string): boolean;
}

/** Stores the latest caller, and when another one sent its last request. */
function watchActivity(now: () => number): Activity {
  let latest: string | undefined;
  let latestAt = -Infinity;
  let othersAt = -Infinity;
  return {
    record(caller) {
      if (caller !== latest) othersAt = latestAt;
      latest = caller;
      latestAt = now();
    },
    hasOthersThan: (caller) => now() - (caller === latest ? othersAt : latestAt) < ACTIVE_MS,
  };
}
