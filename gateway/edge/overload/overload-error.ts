import { serviceError } from '../../../src/errors/service-error';

const refusals = new WeakSet<Error>();

/** The error of a request that cannot be served in time. `waitMs`: the expected wait. */
export function overloadError(work: string, waitMs: number): Error {
  const retryAfter = Math.max(Math.ceil(waitMs / 1000), 1);
  const reason = `too many ${work} are in progress. Retry in ${retryAfter} s`;
  const error = serviceError('SERVICE_UNAVAILABLE', { reason }, { details: { retryAfter } });
  refusals.add(error);
  return error;
}

/** Whether the error is an intended refusal, which is counted rather than logged one by one. */
export const isOverloadError = (error: unknown): boolean => error instanceof Error && refusals.has(error);
