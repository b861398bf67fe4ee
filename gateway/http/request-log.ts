import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';

/**
 * Logs one line for each request, with its route pattern instead of its URL, and never a query string, header or body.
 * `aborted` marks a request whose caller disconnected before the response was complete.
 */
export function logRequests(app: FastifyInstance, log: Logger): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('close', () => {
      const { startedAt, principal } = request.scope;
      log.info(
        {
          requestId: request.id,
          method: request.method,
          route: request.routeOptions.url ?? 'unknown',
          status: reply.raw.statusCode,
          durationMs: Math.round((performance.now() - startedAt) * 100) / 100,
          // Undefined fields are left out.
          customerId: principal?.customerId,
          aborted: reply.raw.writableFinished ? undefined : true,
        },
        'request',
      );
    });
    done();
  });
}
