/**
 * Shares the time of the event loop between callers. A request goes on at once, unless other requests of its caller have
 * just computed for long: these wait, while others are active. The time of a request counts until it waits for I/O.
 */
export interface CallerTurns {
  /** Resolves when a request that has arrived may be admitted. `source`: its credential or its network. */
  arrive(source: string): Promise<void>;
  /** Resolves when an admitted request of the caller may compute. */
  take(request: { readonly caller: string; readonly source: string }): Promise<void>;
}

/**
 * Milliseconds that the requests of a caller compute in one turn of the event loop before the next ones wait. After a longer
 * turn they wait as long as it took: a caller has half of the time while others are active.
 */
const TURN_MS = 5;
/** Others are active for this time after a request of theirs has arrived. */
const ACTIVE_MS = 1000;

/** The requests of one caller. Exists from its first request in a turn of the event loop until none computes or waits. */
interface Turn {
  readonly source: string;
  computedMs: number;
  /** Start of the computation that is running now. */
  runningSince: number | undefined;
  isPaused: boolean;
  readonly waiting: (() => void)[];
}

/** `now` replaces the clock, in milliseconds. */
export function createCallerTurns(now = (): number => performance.now()): CallerTurns {
  const turns = new Map<string, Turn>();
  const arrivals = watchArrivals(now);

  const computedMs = ({ computedMs: ended, runningSince }: Turn): number =>
    runningSince === undefined ? ended : ended + now() - runningSince;
  const isOpen = (turn: Turn): boolean => !turn.isPaused && computedMs(turn) < TURN_MS;
  /** Counts the time until the work of the request waits for I/O: ticks run when no microtask is left. */
  const measure = (turn: Turn): void => {
    if (turn.runningSince !== undefined) return;
    turn.runningSince = now();
    queueMicrotask(() => process.nextTick(endRequest, turn));
  };
  const endRequest = (turn: Turn): void => {
    turn.computedMs = computedMs(turn);
    turn.runningSince = undefined;
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
    turn.isPaused = turn.computedMs >= TURN_MS && arrivals.hasOthersThan(turn.source);
    if (turn.isPaused) setTimeout(beginTurn, turn.computedMs, caller, turn);
    else beginTurn(caller, turn);
  };
  const openTurn = (caller: string, source: string): Turn => {
    const turn: Turn = { source, computedMs: 0, runningSince: undefined, isPaused: false, waiting: [] };
    turns.set(caller, turn);
    setImmediate(endTurn, caller, turn);
    return turn;
  };

  const take: CallerTurns['take'] = ({ caller, source }) => {
    const turn = turns.get(caller) ?? openTurn(caller, source);
    if (!isOpen(turn) || turn.waiting.length > 0) return new Promise((resolve) => turn.waiting.push(resolve));
    measure(turn);
    return Promise.resolve();
  };
  return {
    arrive(source) {
      arrivals.record(source);
      return take({ caller: `arriving from ${source}`, source });
    },
    take,
  };
}

/** From where requests arrived lately. */
interface Arrivals {
  record(source: string): void;
  hasOthersThan(source: string): boolean;
}

/** Has the latest source and the time of the one before it: two are enough to know whether there are others. */
function watchArrivals(now: () => number): Arrivals {
  let latest: string | undefined;
  let latestAt = -Infinity;
  let othersAt = -Infinity;
  return {
    record(source) {
      if (source !== latest) othersAt = latestAt;
      latest = source;
      latestAt = now();
    },
    hasOthersThan: (source) => now() - (source === latest ? othersAt : latestAt) < ACTIVE_MS,
  };
}
