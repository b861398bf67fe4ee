import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestProblem } from '../rest/failure';
import { createTimeLimit } from './time-limit';

const BODY_MS = 8000;
/** Forty megabytes at five megabits a second. */
export const LARGE_BODY_MS = 64_000;

/**
 * Gives up on requests whose body does not arrive in time: a connection that is held half-open costs eight seconds at most.
 * More time is for callers whom we know, on routes that take more than `ordinaryBytes`.
 */
export function limitBodyTime(app: FastifyInstance, ordinaryBytes: number): void {
  const [first, more] = [createTimeLimit(BODY_MS), createTimeLimit(LARGE_BODY_MS - BODY_MS)];
  const mayBeLarge = ({ scope, routeOptions }: FastifyRequest): boolean =>
    scope.principal !== undefined && routeOptions.bodyLimit > ordinaryBytes;
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = request;
    if (hasBody(raw)) {
      const running = first.start(() => {
        if (raw.complete) return;
        if (mayBeLarge(request)) more.start(() => giveUp(request, reply));
        else giveUp(request, reply);
      });
      raw.once('close', () => first.stop(running));
    }
    done();
  });
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

function giveUp({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete || raw.destroyed) return;
  // Who reads the body listens; of what was answered already nothing more is wanted.
  if (reply.sent || raw.listenerCount('error') === 0) {
    raw.destroy();
    return;
  }
  reply.header('connection', 'close');
  raw.emit('error', requestProblem(408, 'request', 'did not arrive in time'));
}
