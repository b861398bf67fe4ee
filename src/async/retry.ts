import { sleep } from './sleep';

export interface RetryOptions {
  /** Delay before each repetition. As many repetitions as delays. */
  readonly delaysMs: readonly number[];
  /** Called with each failure and the delay before the next attempt, which is `undefined` after the last one. */
  readonly isRetryable: (error: unknown, nextInMs: number | undefined) => boolean;
  /** Ends the delay and prevents further attempts. */
  readonly signal: AbortSignal | undefined;
}

/** The result of the first attempt that succeeds. @throws the failure of the last attempt */
export async function retry<Result>(
  attempt: () => Promise<Result>,
  { delaysMs, isRetryable, signal }: RetryOptions,
): Promise<Result> {
  const isAborted = (): boolean => signal?.aborted === true;
  for (let failures = 0; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      const nextInMs = delaysMs[failures];
      if (isAborted() || !isRetryable(error, nextInMs) || nextInMs === undefined) throw error;
      await sleep(nextInMs, signal);
      if (isAborted()) throw error;
    }
  }
}
