import { sleep } from '../async/sleep';

/** Delays before requests that failed are repeated. */
const RETRY_DELAYS_MS = [200, 1000];
/** Requests that are repeated at the same time. */
const MAX_CONCURRENT = 10;

/** Sends a request. Requests with different signals are not sent in the same batch. */
export type SignalledRequest<Result> = (signal?: AbortSignal) => Promise<Result>;

/**
 * The results of requests that are sent together, in their order. One that fails may have failed because of another in
 * its batch: it is repeated alone.
 */
export async function requestEach<Result>(
  requests: readonly SignalledRequest<Result>[],
): Promise<readonly PromiseSettledResult<Result>[]> {
  const results: PromiseSettledResult<Result>[] = await settled(requests.map((request) => request()));
  for (const delayMs of RETRY_DELAYS_MS) {
    const failed = [...results.keys()].filter((index) => results[index]?.status === 'rejected');
    if (failed.length === 0) break;
    await sleep(delayMs);
    for (let start = 0; start < failed.length; start += MAX_CONCURRENT) {
      const group = failed.slice(start, start + MAX_CONCURRENT);
      const again = await settled(group.flatMap((index) => requests[index]?.(new AbortController().signal) ?? []));
      for (const [offset, result] of again.entries()) results[group[offset] ?? 0] = result;
      // The node responds to none of them: the others can wait for a later attempt.
      if (again.every(({ status }) => status === 'rejected')) break;
    }
  }
  return results;
}

const settled = <Result>(promises: readonly Promise<Result>[]): Promise<PromiseSettledResult<Result>[]> =>
  Promise.allSettled<Promise<Result>[]>([...promises]);
