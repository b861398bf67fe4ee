import { parseCronItems, type RunnerOptions, type TaskList } from 'graphile-worker';
import { openPool, type QueryTimeouts } from '../persistence/connection-pool';
import { JOB_NAMES, type JobHandlers, type JobName, payloadSchema, scheduleOf } from './job-catalog';
import { superviseRunner } from './supervise-runner';
import { prepareJobQueue } from './prepare-job-queue';
import { releaseOnce } from './release-connection-once';
import { type JobLog, workerLogger } from './worker-logger';

const CONCURRENCY = 5;
/** Connections that the jobs of a process need in addition to its pool. */
export const JOB_CONNECTIONS = CONCURRENCY + 1;
/** Interval at which the queue is polled for jobs with a later start. All others start at once: PostgreSQL notifies the worker. */
const POLL_MS = 1000;

export interface JobWorkerDeps {
  readonly url: string;
  readonly log: JobLog;
  /** Replaces the schedule of each job, in crontab notation; `undefined` for none. */
  readonly schedule?: (name: JobName) => string | undefined;
  /** Maximum delay of a job with a later start; a second by default. */
  readonly pollMs?: number;
  readonly timeouts?: QueryTimeouts;
  /** Called when a job has ended. */
  readonly onRun?: ((name: JobName, run: JobRun) => void) | undefined;
}

/** How a job has ended. */
export interface JobRun {
  readonly failed: boolean;
  readonly seconds: number;
}

export interface JobWorker {
  /** `down` while the queue is not connected. */
  readonly status: () => 'ok' | 'down';
  /** Starts no further jobs and resolves when the running ones have ended. */
  stop(): Promise<void>;
}

/**
 * Runs jobs in this process, including scheduled ones. Any number of processes may run jobs; each job runs in one of them.
 * A failed job is retried with growing delays, up to 25 times. Reconnects after a lost database connection.
 */
export async function startJobWorker(
  { url, log, schedule = scheduleOf, pollMs = POLL_MS, timeouts, onRun }: JobWorkerDeps,
  handlers: JobHandlers,
): Promise<JobWorker> {
  const logger = workerLogger(log);
  await prepareJobQueue({ url, logger });
  const pool = releaseOnce(openPool({ url, size: JOB_CONNECTIONS, name: 'afluente jobs', log, timeouts }));
  const runner = await superviseRunner(
    { pool, log },
    {
      logger,
      concurrency: CONCURRENCY,
      pollInterval: pollMs,
      noHandleSignals: true,
      taskList: tasksOf(handlers, onRun),
      parsedCronItems: scheduledJobs(schedule),
    },
  );
  return {
    status: () => (runner.isListening() ? 'ok' : 'down'),
    async stop() {
      await runner.stop();
      await pool.end();
    },
  };
}

const tasksOf = (handlers: JobHandlers, onRun: JobWorkerDeps['onRun']): TaskList =>
  Object.fromEntries(
    JOB_NAMES.map((name) => [name, taskOf(name, handlers[name], (run) => onRun?.(name, run))] as const),
  );

function taskOf<Name extends JobName>(name: Name, handle: JobHandlers[Name], onRun: (run: JobRun) => void) {
  const schema = payloadSchema(name);
  return async (payload: unknown, { abortSignal }: { readonly abortSignal?: AbortSignal }): Promise<void> => {
    const startedAt = performance.now();
    let failed = true;
    try {
      await handle(schema.parse(payload), abortSignal ?? new AbortController().signal);
      failed = false;
    } finally {
      onRun({ failed, seconds: (performance.now() - startedAt) / 1000 });
    }
  };
}

const scheduledJobs = (schedule: typeof scheduleOf): NonNullable<RunnerOptions['parsedCronItems']> =>
  parseCronItems(
    JOB_NAMES.flatMap((name) => {
      const match = schedule(name);
      if (match === undefined) return [];
      // No retries: the next scheduled run does the same work.
      return [{ task: name, match, options: { backfillPeriod: 0, maxAttempts: 1, jobKey: name } }];
    }),
  );
