import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestProblem } from '../edge/failure';
import { createTimeLimit } from '../edge/time-limit';

const BODY_MS = 8000;
/** Time for forty megabytes at five megabits a second. */
export const LARGE_BODY_MS = 64_000;

/**
 * Refuses requests whose body does not arrive in time, so that a half-open connection lasts eight seconds at most.
 * Authenticated callers get more time on routes whose body limit is above `ordinaryBytes`.
 */
export function limitBodyTime(app: FastifyInstance, ordinaryBytes: number): void {
  const [first, more] = [createTimeLimit(BODY_MS), createTimeLimit(LARGE_BODY_MS - BODY_MS)];
  const mayBeLarge = ({ scope, routeOptions }: FastifyRequest): boolean =>
    scope.principal !== undefined && routeOptions.bodyLimit > ordinaryBytes;
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = request;
    if (hasBody(raw)) {
      let stop = (): void => undefined;
      const running = first.start(() => {
        if (raw.complete) return;
        if (!mayBeLarge(request)) {
          refuseLateBody(request, reply);
          return;
        }
        const stillRunning = more.start(() => refuseLateBody(request, reply));
        stop = () => more.stop(stillRunning);
      });
      stop = () => first.stop(running);
      // Otherwise a request whose body has arrived would stay in memory for the rest of the time, with its body.
      raw.once('close', () => stop());
    }
    done();
  });
}

export const hasBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

function refuseLateBody({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete || raw.destroyed) return;
  // Without a reader of the body, or with the response sent, no error can be delivered.
  if (reply.sent || raw.listenerCount('error') === 0) {
    raw.destroy();
    return;
  }
  reply.header('connection', 'close');
  raw.emit('error', requestProblem(408, 'request', 'did not arrive in time'));
}
