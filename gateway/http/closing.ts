import type { FastifyInstance } from 'fastify';
import { serviceError } from '../../src/errors/service-error';

/** While the server closes, refuses every request but health checks, and keeps no connection open. */
export function refuseWhileClosing(app: FastifyInstance, isClosing: () => boolean): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (!isClosing() || request.routeOptions.url?.startsWith('/health') === true) {
      done();
      return;
    }
    done(serviceError('SERVICE_UNAVAILABLE', { reason: 'it is shutting down' }));
  });
  app.addHook('onSend', (_request, reply, ...[payload, done]) => {
    if (isClosing()) reply.header('connection', 'close');
    done(null, payload);
  });
}
