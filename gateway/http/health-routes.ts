import type { FastifyInstance } from 'fastify';
import type { GatewayDependencies, HealthReport } from './dependencies';
import { JSON_TYPE } from './send-failure';

const FRESH_FOR_MS = 1000;
const OK = { status: 'ok' };
const NOT_READY = { status: 'unavailable' };

/** `GET /health` for people, `/health/live` and `/health/ready` for an orchestrator: no credential, no charge. */
export function mountHealthRoutes(
  app: FastifyInstance,
  deps: Pick<GatewayDependencies, 'health'>,
  isClosing: () => boolean,
): void {
  const report = shared(deps.health);
  const method = ['GET', 'HEAD'];
  app.route({
    method,
    url: '/health',
    handler: async (_request, reply) => {
      const { serving, body } = await report();
      return reply
        .code(serving ? 200 : 503)
        .header('cache-control', 'no-store')
        .type(JSON_TYPE)
        .send(body);
    },
  });
  app.route({ method, url: '/health/live', handler: (_request, reply) => reply.type(JSON_TYPE).send(OK) });
  app.route({
    method,
    url: '/health/ready',
    handler: async (_request, reply) => {
      const ready = !isClosing() && (await report()).serving;
      return reply
        .code(ready ? 200 : 503)
        .type(JSON_TYPE)
        .send(ready ? OK : NOT_READY);
    },
  });
}

/** However often it is asked for, at most one report is made at a time, and none within a second of the last. */
function shared(make: () => Promise<HealthReport>): () => Promise<HealthReport> {
  let current: Promise<HealthReport> | undefined;
  let madeAt = 0;
  return () => {
    if (current === undefined || performance.now() - madeAt > FRESH_FOR_MS) {
      madeAt = Infinity;
      current = make().finally(() => (madeAt = performance.now()));
    }
    return current;
  };
}
