import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OpenSpan, Tracer } from '../../src/telemetry/tracing/tracer';
import { requestRoute } from './request-metrics';

/** Polled by orchestrators, several times a minute. */
const HEALTH = '/health';

/**
 * Records a trace of every request, by the pattern of its route. A `traceparent` of the caller is ignored: callers decide neither on
 * what is traced nor on the ids of traces.
 */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  app.addHook('onRequest', (request, reply, done) => {
    const { method, route } = requestRoute(request);
    if (route.startsWith(HEALTH)) {
      done();
      return;
    }
    const attributes = { 'http.request.method': method, 'http.route': route };
    const span = tracer.start({ name: `${method} ${route}`, kind: 'server', attributes });
    spans.set(request, span);
    reply.raw.once('close', () => {
      const { statusCode, writableFinished } = reply.raw;
      const end = { 'http.response.status_code': statusCode, 'afluente.aborted': !writableFinished };
      span.end({ failed: statusCode >= 500, attributes: end });
    });
    tracer.within(span, done);
  });
  // The body arrives in events of the connection, which are outside of the trace.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else tracer.within(span, done);
  });
}
