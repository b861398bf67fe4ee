import type { FastifyReply } from 'fastify';
import { createLifetime, type Lifetime } from '../../src/auth/lifetime';
import { serviceError } from '../../src/errors/service-error';
import { createTimeLimit } from './time-limit';

/**
 * Runs the work of a request within a lifetime that ends when its caller hangs up or the time is spent.
 *
 * Rejects with SERVICE_UNAVAILABLE when the time is spent, whatever the work does then.
 */
export type WithinTime = <Result>(
  reply: FastifyReply,
  work: (lifetime: Lifetime) => Promise<Result>,
) => Promise<Result>;

/**
 * The time that each of many requests may take.
 *
 * The framework's own signal aborts as soon as a body has been read, because that closes the incoming message; the
 * answer's stream closes early only when the caller has gone.
 */
export function createRequestDeadline(timeoutMs: number): WithinTime {
  const limit = createTimeLimit(timeoutMs);
  return (reply, work) =>
    new Promise((resolve, reject) => {
      const lifetime = createLifetime();
      const running = limit.start(() => {
        reject(serviceError('SERVICE_UNAVAILABLE', { reason: 'the request took too long' }));
        lifetime.end();
      });
      const stop = (): void => limit.stop(running);
      reply.raw.once('close', () => {
        stop();
        if (!reply.raw.writableFinished) lifetime.end();
      });
      const working = work(lifetime);
      void working.then(stop, stop);
      working.then(resolve, reject);
    });
}
