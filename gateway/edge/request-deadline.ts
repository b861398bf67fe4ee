import type { FastifyReply } from 'fastify';
import { createLifetime, type Lifetime } from '../../src/auth/request-lifetime';
import { serviceError, type ServiceError } from '../../src/errors/service-error';
import { createTimeLimit } from './time-limit';

/**
 * Runs the work of a request with a lifetime that ends when the caller disconnects or the deadline passes.
 *
 * Rejects with SERVICE_UNAVAILABLE at the deadline, even when the work does not end.
 */
export type WithinTime = <Result>(
  reply: FastifyReply,
  work: (lifetime: Lifetime) => Promise<Result>,
) => Promise<Result>;

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
  return (reply, work) =>
    new Promise((resolve, reject) => {
      const lifetime = createLifetime();
      const running = limit.start(() => {
        reject(tooLong());
        lifetime.end();
      });
      const stop = (): void => limit.stop(running);
      if (reply.raw.destroyed) lifetime.end();
      reply.raw.once('close', () => {
        stop();
        if (!reply.raw.writableFinished) lifetime.end();
      });
      const working = work(lifetime);
      void working.then(stop, stop);
      working.then(resolve, reject);
    });
}
