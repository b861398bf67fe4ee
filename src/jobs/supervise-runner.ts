import { EventEmitter, once } from 'node:events';
import { run, type Runner, type RunnerOptions, type WorkerEvents } from 'graphile-worker';
import type { Pool } from 'pg';
import { anySignal } from '../async/any-signal';
import type { JobLog } from './worker-logger';
import { sleep } from '../async/sleep';
import { retryingPool } from './retrying-pool';

const RESTART_MS = 1000;

export interface SupervisedRunner {
  /** True while the process is notified of new jobs. */
  isListening(): boolean;
  /** Resolves when the running jobs have ended. */
  stop(): Promise<void>;
}

export interface RunnerSupervisorDeps {
  readonly pool: Pool;
  readonly log: JobLog;
}

/**
 * Runs the queue until stopped. When one of its workers loses the database, all workers are replaced: the queue does not
 * replace a worker that failed to report the end of its job, and its jobs would stay locked for hours.
 */
export async function superviseRunner(deps: RunnerSupervisorDeps, options: JobOptions): Promise<SupervisedRunner> {
  const stopping = new AbortController();
  const { events, ...state } = observe();
  const connected = once(events, 'pool:listen:success');
  const start = (): Promise<EndableRunner> => startRunner(deps, { ...options, events });
  let runner: EndableRunner | undefined = await start();
  const watch = async (): Promise<void> => {
    for (;;) {
      await brokenOrStopped({ runner, events, signal: stopping.signal });
      await end(runner);
      if (stopping.signal.aborted) return;
      deps.log.warn({}, 'the job queue lost its database connection; restarting');
      await sleep(RESTART_MS, stopping.signal);
      runner = await attempt(deps.log, async () => {
        await deps.pool.query('SELECT graphile_worker.force_unlock_workers($1)', [[...state.workerIds]]);
        state.workerIds.clear();
        return start();
      });
    }
  };
  const watching = watch();
  await connected;
  return {
    isListening: state.isListening,
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}

/** The queue's own options; the pool is that of the dependencies. */
type JobOptions = Omit<RunnerOptions, 'events' | 'pgPool'>;
type EndableRunner = Pick<Runner, 'promise' | 'stop'>;

async function startRunner({ pool, log }: RunnerSupervisorDeps, options: RunnerOptions): Promise<EndableRunner> {
  const ending = new AbortController();
  const runner = await run({ ...options, pgPool: retryingPool(pool, { signal: ending.signal, log }) });
  return {
    promise: runner.promise,
    stop() {
      ending.abort();
      return runner.stop();
    },
  };
}

interface Observation {
  readonly events: WorkerEvents;
  readonly isListening: () => boolean;
  /** Ids of all created workers. */
  readonly workerIds: Set<string>;
}

function observe(): Observation {
  const events = new EventEmitter() as WorkerEvents;
  let listening = false;
  const workerIds = new Set<string>();
  events.on('pool:listen:success', () => (listening = true));
  for (const lost of ['pool:listen:error', 'pool:listen:release', 'stop'] as const) {
    events.on(lost, () => (listening = false));
  }
  events.on('worker:create', ({ worker }) => workerIds.add(worker.workerId));
  return { events, isListening: () => listening, workerIds };
}

interface Watched {
  readonly runner: EndableRunner | undefined;
  readonly events: WorkerEvents;
  readonly signal: AbortSignal;
}

async function brokenOrStopped({ runner, events, signal }: Watched): Promise<void> {
  if (runner === undefined || signal.aborted) return;
  const settled = new AbortController();
  const aborted = anySignal(signal, settled.signal);
  const failures = (['worker:fatalError', 'worker:getJob:error'] as const).map((name) =>
    once(events, name, { signal: aborted }).catch(() => undefined),
  );
  await Promise.race([runner.promise.catch(() => undefined), ...failures]);
  settled.abort();
}

async function end(runner: EndableRunner | undefined): Promise<void> {
  await runner?.stop().catch(() => undefined); // rejects when it has ended already
}

async function attempt(log: JobLog, start: () => Promise<EndableRunner>): Promise<EndableRunner | undefined> {
  try {
    return await start();
  } catch (error) {
    log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'starting the job queue failed');
    return undefined;
  }
}
