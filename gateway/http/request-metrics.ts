import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Metrics, secondsSince } from '../../src/telemetry/metrics/metrics';

/** Other methods that Node parses count as `other`. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']);
const EVENT_STREAM = 'text/event-stream';

/** Measures every request by the pattern of its route, never by its path. */
export function measureRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now();
    reply.raw.once('close', () => {
      const status = statusClass(reply);
      // The duration of a stream is that of its caller's interest.
      if (isStream(request)) metrics.count('httpStreams', { status });
      else metrics.observe('httpRequest', { ...requestRoute(request), status }, secondsSince(startedAt));
    });
    done();
  });
}

/** The method and the route pattern of a request, both from bounded sets. */
export function requestRoute({ method, routeOptions }: FastifyRequest): {
  readonly method: string;
  readonly route: string;
} {
  return { method: METHODS.has(method) ? method : 'other', route: routeOptions.url ?? 'unknown' };
}

/** `2xx` to `5xx`, or `aborted` when the caller disconnected before the response was complete. */
const statusClass = ({ raw }: FastifyReply): string =>
  raw.writableFinished ? `${String(Math.floor(raw.statusCode / 100))}xx` : 'aborted';

const isStream = ({ headers, routeOptions }: FastifyRequest): boolean =>
  routeOptions.url === '/graphql' && headers.accept?.includes(EVENT_STREAM) === true;
