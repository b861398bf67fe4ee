import type { FastifyInstance } from 'fastify';
import { createApp } from '../../gateway/http/create-app';
import { endConnectionsWhileStopping } from '../../gateway/http/closing';
import type { GraphDependencies } from '../../gateway/edge/dependencies';
import { refuseUnknownPaths } from '../../gateway/http/not-found';
import { createLogger } from '../../src/main/logger';
import { authenticator, createRateLimiter, idempotency } from './access';

export type EdgeDependencies = Omit<GraphDependencies, 'graph'>;

/** The deps of the edge, all in memory except the request log. */
export const createEdgeDependencies = (): EdgeDependencies => ({
  config: {
    HOST: '127.0.0.1',
    PORT: 0,
    PUBLIC_URL: undefined,
    TRUSTED_PROXIES: 0,
    CORS_ORIGINS: ['*'],
    GRAPHQL_INTROSPECTION: true,
    REQUEST_TIMEOUT_MS: 30_000,
    SHUTDOWN_DRAIN_MS: 0,
    RATE_LIMIT_PER_MINUTE_UNAUTHENTICATED: 60,
  },
  authenticator,
  idempotency,
  rateLimiter: createRateLimiter(),
  findLimit: () => Promise.resolve(1000),
  log: createLogger('info'),
});

/** The gateway's server with everything that it does for any request, and no routes yet. */
export async function createEdge(deps: EdgeDependencies): Promise<FastifyInstance> {
  const app = await createApp(deps);
  endConnectionsWhileStopping(app, () => 'serving');
  refuseUnknownPaths(app, deps);
  return app;
}
