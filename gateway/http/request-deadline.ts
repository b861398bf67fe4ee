import type { FastifyReply } from 'fastify';
import { serviceError } from '../../src/errors/service-error';

/**
 * Runs the work of a request with a signal that aborts when its caller hangs up or the time is spent.
 *
 * The framework's own signal aborts as soon as a body has been read, because that closes the incoming message; the
 * answer's stream closes early only when the caller has gone.
 *
 * @throws SERVICE_UNAVAILABLE when the time is spent, whatever the work does then
 */
export function withinTime<Result>(
  reply: FastifyReply,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      reject(serviceError('SERVICE_UNAVAILABLE', { reason: 'the request took too long' }));
      controller.abort();
    }, timeoutMs);
    const end = (): void => {
      clearTimeout(timer);
      if (!reply.raw.writableFinished) controller.abort();
    };
    reply.raw.once('close', end);
    work(controller.signal)
      .finally(() => clearTimeout(timer))
      .then(resolve, reject);
  });
}
