import { type SharedTask, startSharedTask } from './shared-task';

/** Shares work among callers that need the same result at the same time. Keeps nothing after the work has settled. */
export interface SingleFlight<Result> {
  /**
   * Joins the run in progress for the key, or starts `run`. A run is aborted and forgotten when all of its callers have
   * stopped waiting. A caller without a signal waits until the end.
   *
   * @throws what `run` throws; the signal's reason as soon as the signal aborts
   */
  join(key: string, run: (signal: AbortSignal) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /** The task in progress for the key. */
  current(key: string): SharedTask<Result> | undefined;
}

/** `abandonReason` makes the reason with which a run is aborted when all of its callers have stopped waiting. */
export function createSingleFlight<Result>(abandonReason?: () => unknown): SingleFlight<Result> {
  const tasks = new Map<string, SharedTask<Result>>();
  const current = (key: string): SharedTask<Result> | undefined => {
    const task = tasks.get(key);
    return task?.isAbandoned === true ? undefined : task;
  };
  const start = (key: string, run: (signal: AbortSignal) => Promise<Result>): SharedTask<Result> => {
    const forget = (): void => {
      if (tasks.get(key) === task) tasks.delete(key);
    };
    const task = startSharedTask(run, { onSettled: forget, abandonReason });
    tasks.set(key, task);
    return task;
  };
  return {
    join: (key, run, signal) => (current(key) ?? start(key, run)).join(signal),
    current,
  };
}

/** Calls that overlap share one run and its result. */
export function shareRuns<Result>(run: () => Promise<Result>): () => Promise<Result> {
  const flight = createSingleFlight<Result>();
  return () => flight.join('', run);
}
