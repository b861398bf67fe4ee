import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';

/**
 * One line for each request: what was asked for by route, not by address; never a query string, a header or a body.
 * A caller that hung up before its answer was complete is logged with `aborted`.
 *
 * All fields are chosen here and none can hold a credential, so that nothing is redacted: looking through every value
 * would cost more than the rest of a small request.
 */
export function logRequests(app: FastifyInstance, parentLog: Logger): void {
  const log = parentLog.child({}, { redact: [] });
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
          // Fields without a value are left out.
          customerId: principal?.customerId,
          aborted: reply.raw.writableFinished ? undefined : true,
        },
        'request',
      );
    });
    done();
  });
}
