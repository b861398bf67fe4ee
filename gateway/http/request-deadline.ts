import type { FastifyReply } from 'fastify';
import { createLifetime, type Lifetime } from '../../src/auth/lifetime';
import { serviceError } from '../../src/errors/service-error';

/**
 * Runs the work of a request within a lifetime that ends when its caller hangs up or the time is spent.
 *
 * The framework's own signal aborts as soon as a body has been read, because that closes the incoming message; the
 * answer's stream closes early only when the caller has gone.
 *
 * @throws SERVICE_UNAVAILABLE when the time is spent, whatever the work does then
 */
export function withinTime<Result>(
  reply: FastifyReply,
  timeoutMs: number,
  work: (lifetime: Lifetime) => Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const lifetime = createLifetime();
    const timer = setTimeout(() => {
      reject(serviceError('SERVICE_UNAVAILABLE', { reason: 'the request took too long' }));
      lifetime.end();
    }, timeoutMs);
    const stop = (): void => clearTimeout(timer);
    reply.raw.once('close', () => {
      stop();
      if (!reply.raw.writableFinished) lifetime.end();
    });
    const working = work(lifetime);
    void working.then(stop, stop);
    working.then(resolve, reject);
  });
}
