import type { FastifyInstance } from 'fastify';
import type { HealthCheck } from './gateway-dependencies';
import { JSON_TYPE } from '../edge/send-failure';

const OK = { status: 'ok' };
const NOT_READY = { status: 'unavailable' };

/** Mounts `GET /health` for operators, `/health/live` and `/health/ready` for orchestrators, without credentials or rate limits. */
export function mountHealthRoutes(app: FastifyInstance, health: HealthCheck, isOpen: () => boolean): void {
  const method = ['GET', 'HEAD'];
  app.route({
    method,
    url: '/health',
    handler: async (_request, reply) => {
      const { serving, body } = await health.report();
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
      const ready = isOpen() && (await health.isReady());
      return reply
        .code(ready ? 200 : 503)
        .type(JSON_TYPE)
        .send(ready ? OK : NOT_READY);
    },
  });
}
