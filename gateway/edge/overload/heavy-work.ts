import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Lifetime } from '../../../src/auth/request-lifetime';
import type { Config } from '../../../src/config/config';
import { type MaybePromise, whenDone } from '../../federation/maybe-promise';
import { callerOf } from '../request-scope';
import { createCallerTurns } from './caller-turns';
import { type HeavyLoad, heavyLoadOf, type Lane } from './heavy-operations';
import { type LoopDelay, watchLoopDelay } from './loop-delay';
import { isOverloadError, overloadError } from './overload-error';
import type { Leave } from './places';
import { createWorkLane, type WorkLane } from './work-lane';

export type HeavyWorkSettings = Pick<
  Config,
  'QUOTE_CONCURRENCY' | 'EXECUTION_CONCURRENCY' | 'QUEUE_LIMIT' | 'QUEUE_TIMEOUT_MS' | 'EVENT_LOOP_DELAY_MS'
>;

export interface HeavyWorkDeps {
  readonly config: HeavyWorkSettings;
  readonly log: Pick<Logger, 'warn'>;
  /** Called for each request that is refused because of too much work. */
  readonly onRefused?: ((lane: Lane) => void) | undefined;
  /** Replaces the delay of the event loop of this process. */
  readonly loopDelay?: LoopDelay;
}

/** An operation that is about to be executed. */
export interface EnteringOperation {
  readonly request: Pick<FastifyRequest, 'scope' | 'ip'>;
  /** Its root fields, such as `Query.swapQuote`. */
  readonly rootFields: readonly string[];
  readonly lifetime: Lifetime;
}

/**
 * Keeps cheap requests fast: quotes and executions have a concurrency and a queue of their own, and a caller whose requests
 * compute for long does so in turns with the others. A request that need not wait for its turn gets its result without a promise,
 * since Node 20 tracks each one. Each function may therefore throw synchronously.
 */
export interface HeavyWork {
  /**
   * Called before a large body or a document of an admitted request is parsed. Returns at once when it may compute, otherwise a
   * promise that resolves when it may.
   *
   * @throws SERVICE_UNAVAILABLE when the request has ended meanwhile
   */
  takeTurn(request: EnteringOperation['request'], lifetime?: Lifetime): MaybePromise<void>;
  /**
   * Waits for the turn of an operation, cheap ones included. The returned function ends its work.
   *
   * @throws SERVICE_UNAVAILABLE with the seconds until a retry, when its turn would not come in time
   */
  enter(operation: EnteringOperation): MaybePromise<Leave>;
  /** Executes an operation when its turn comes. */
  run<Result>(operation: EnteringOperation, execute: () => MaybePromise<Result>): MaybePromise<Result>;
  readonly state: Readonly<Record<Lane, WorkLane['state']>>;
  stop(): void;
}

const ADAPT_INTERVAL_MS = 200;
const LOG_INTERVAL_MS = 10_000;

export function createHeavyWork({ config, log, onRefused, loopDelay = watchLoopDelay() }: HeavyWorkDeps): HeavyWork {
  const common = { maxWaiting: config.QUEUE_LIMIT, maxWaitMs: config.QUEUE_TIMEOUT_MS };
  const lanes: Readonly<Record<Lane, WorkLane>> = {
    quotes: createWorkLane({ ...common, name: 'quotes', concurrency: config.QUOTE_CONCURRENCY }),
    executions: createWorkLane({ ...common, name: 'executions', concurrency: config.EXECUTION_CONCURRENCY }),
  };
  const stateOf = (): HeavyWork['state'] => ({ quotes: lanes.quotes.state, executions: lanes.executions.state });
  const turns = createCallerTurns();
  const refusals = logRefusals(log, stateOf);
  const timer = setInterval(() => {
    const isSlow = loopDelay.read() > config.EVENT_LOOP_DELAY_MS;
    for (const lane of Object.values(lanes)) lane.adapt(isSlow);
  }, ADAPT_INTERVAL_MS).unref();

  const takeTurn: HeavyWork['takeTurn'] = (request, lifetime) =>
    whenDone(turns.take(callerOf(request)), () => {
      if (lifetime?.hasEnded() === true) throw overloadError('requests of this caller', 0);
    });
  const enterLane = ({ lane, size }: HeavyLoad, { request, lifetime }: EnteringOperation): Promise<Leave> => {
    const entering = lanes[lane].enter({ caller: callerOf(request), size, lifetime });
    return refusals.counted(entering, () => onRefused?.(lane));
  };
  return {
    takeTurn,
    enter(operation) {
      const load = heavyLoadOf(operation.rootFields);
      if (load !== undefined) return enterLane(load, operation);
      return whenDone(takeTurn(operation.request, operation.lifetime), () => () => undefined);
    },
    run(operation, execute) {
      const load = heavyLoadOf(operation.rootFields);
      if (load !== undefined) return runInPlaces(enterLane(load, operation), execute);
      return whenDone(takeTurn(operation.request, operation.lifetime), execute);
    },
    get state() {
      return stateOf();
    },
    stop() {
      clearInterval(timer);
      refusals.stop();
      loopDelay.stop();
    },
  };
}

async function runInPlaces<Result>(entering: Promise<Leave>, execute: () => MaybePromise<Result>): Promise<Result> {
  const leave = await entering;
  try {
    return await execute();
  } finally {
    leave();
  }
}

/** Logs the number of refused requests, at most once in an interval. */
function logRefusals(log: Pick<Logger, 'warn'>, state: () => HeavyWork['state']) {
  let refused = 0;
  const timer = setInterval(() => {
    if (refused > 0) log.warn({ refused, ...state() }, 'requests were refused because of too much work');
    refused = 0;
  }, LOG_INTERVAL_MS).unref();
  return {
    /** Settles like the promise, and counts its refusal. */
    async counted<Result>(entering: Promise<Result>, onRefused: () => void): Promise<Result> {
      try {
        return await entering;
      } catch (error) {
        if (isOverloadError(error)) {
          refused += 1;
          onRefused();
        }
        throw error;
      }
    },
    stop: () => clearInterval(timer),
  };
}
