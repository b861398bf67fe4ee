import type { FastifyReply } from 'fastify';
import { createLifetime, type EndableLifetime, type Lifetime } from '../../src/auth/request-lifetime';
import { serviceError, type ServiceError } from '../../src/errors/service-error';
import { isPromise, type MaybePromise } from '../federation/maybe-promise';
import { createTimeLimit, type TimeLimit } from './time-limit';

/**
 * Runs the work of a request with a lifetime that ends when the caller disconnects or the deadline passes.
 *
 * Rejects with SERVICE_UNAVAILABLE at the deadline, even when the work does not end. Returns the result of synchronous work
 * directly, and throws its error: the deadline starts when the synchronous part of the work is done.
 */
export type WithinTime = <Result>(
  reply: FastifyReply,
  work: (lifetime: Lifetime) => MaybePromise<Result>,
) => MaybePromise<Result>;

/** Counts against the rate limit: the work was done up to the deadline. */
const tooLong = (): ServiceError =>
  serviceError('SERVICE_UNAVAILABLE', { reason: 'the request took too long' }, { details: { counted: true } });

/**
 * Creates a deadline that applies to each request separately.
 *
 * Fastify's own signal aborts as soon as a body has been read, because that closes the incoming message. The response
 * stream closes early only when the caller has disconnected.
 */
export function createRequestDeadline(timeoutMs: number): WithinTime {
  const limit = createTimeLimit(timeoutMs);
  return (reply, work) => {
    const lifetime = createLifetime();
    if (reply.raw.destroyed) lifetime.end();
    const working = work(lifetime);
    return isPromise(working) ? waitWithin(limit, { reply, lifetime }, working) : working;
  };
}

function waitWithin<Result>(
  limit: TimeLimit,
  { reply, lifetime }: { readonly reply: FastifyReply; readonly lifetime: EndableLifetime },
  working: Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const running = limit.start(() => {
      reject(tooLong());
      lifetime.end();
    });
    const stop = (): void => limit.stop(running);
    reply.raw.once('close', () => {
      stop();
      if (!reply.raw.writableFinished) lifetime.end();
    });
    void working.then(stop, stop);
    working.then(resolve, reject);
  });
}
