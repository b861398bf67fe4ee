import { EventEmitter, once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import {
  parseCronItems,
  run,
  type Runner,
  type RunnerOptions,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker';
import { Pool } from 'pg';
import { JOB_NAMES, type JobHandlers, JOBS, scheduleOf } from './job-catalog';
import { prepareJobQueue } from './prepare-job-queue';
import { type JobLog, workerLogger } from './worker-logger';

const CONCURRENCY = 5;
/** How late a job that was enqueued for later may be; one for now is taken up at once. */
const POLL_MS = 1000;
const RESTART_MS = 1000;

export interface JobWorker {
  /** `down` while the queue cannot be heard. */
  status(): 'ok' | 'down';
  /** Takes up no further job and resolves when the running ones have ended. */
  stop(): Promise<void>;
}

/**
 * Runs jobs in this process, those of the schedule included. Any number of processes may; each job runs in one.
 * A job that throws is tried again with growing delays, up to 25 times. A lost database is waited for.
 */
export async function startWorker(
  { url, log }: { readonly url: string; readonly log: JobLog },
  handlers: JobHandlers,
): Promise<JobWorker> {
  const logger = workerLogger(log);
  await prepareJobQueue({ url, logger });
  const pool = new Pool({ connectionString: url, max: CONCURRENCY + 1, application_name: 'afluente jobs' });
  pool.on('error', (error) => log.warn({ reason: error.message }, 'a database connection of the jobs was lost'));
  const listening = listeningState();
  const options: RunnerOptions = {
    ...{ pgPool: pool, logger, concurrency: CONCURRENCY, pollInterval: POLL_MS, noHandleSignals: true },
    events: listening.events,
    taskList: tasksOf(handlers),
    parsedCronItems: scheduledJobs(),
  };
  const heard = once(listening.events, 'pool:listen:success');
  const supervised = supervise(await run(options), { options, log });
  await heard;
  return {
    status: () => (listening.now() ? 'ok' : 'down'),
    async stop() {
      await supervised.stop();
      await pool.end();
    },
  };
}

function tasksOf(handlers: JobHandlers): TaskList {
  return Object.fromEntries(
    JOB_NAMES.map((name) => [
      name,
      async (payload: unknown, { abortSignal }: { readonly abortSignal?: AbortSignal }) => {
        await handlers[name](JOBS[name].payload.parse(payload), abortSignal ?? new AbortController().signal);
      },
    ]),
  );
}

const scheduledJobs = (): NonNullable<RunnerOptions['parsedCronItems']> =>
  parseCronItems(
    JOB_NAMES.flatMap((name) => {
      const match = scheduleOf(name);
      if (match === undefined) return [];
      // One that failed or was missed is made good by the next one.
      return [{ task: name, match, options: { backfillPeriod: 0, maxAttempts: 1, jobKey: name } }];
    }),
  );

interface ListeningState {
  readonly events: WorkerEvents;
  readonly now: () => boolean;
}

function listeningState(): ListeningState {
  const events = new EventEmitter() as WorkerEvents;
  let listening = false;
  events.on('pool:listen:success', () => (listening = true));
  for (const lost of ['pool:listen:error', 'pool:listen:release', 'stop'] as const) {
    events.on(lost, () => (listening = false));
  }
  return { events, now: () => listening };
}

interface Supervision {
  readonly options: RunnerOptions;
  readonly log: JobLog;
}

/** Starts the runner again when it gave up, as it does when the database goes away while a job is running. */
function supervise(first: Runner, { options, log }: Supervision): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const isStopping = (): boolean => signal.aborted;
  const restarted = async (): Promise<Runner | undefined> => {
    try {
      return await run(options);
    } catch (error) {
      log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'the jobs could not be started');
      return undefined;
    }
  };
  const watch = async (): Promise<void> => {
    let runner: Runner | undefined = first;
    while (!isStopping()) {
      await ended(runner, signal);
      if (isStopping()) break;
      log.error({}, 'the jobs stopped, starting again');
      await wait(RESTART_MS, undefined, { signal }).catch(() => undefined);
      runner = await restarted();
    }
    await runner?.stop();
  };
  const watching = watch();
  return {
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}

/** Resolves when the runner has ended, for whatever reason, or when it shall. */
async function ended(runner: Runner | undefined, signal: AbortSignal): Promise<void> {
  if (runner === undefined || signal.aborted) return;
  const told = once(signal, 'abort');
  await Promise.race([runner.promise.catch(() => undefined), told]);
}
