import type { FastifyInstance } from 'fastify';
import { createApp } from '../../gateway/http/create-app';
import { endConnectionsWhileStopping } from '../../gateway/http/closing';
import type { GatewayConfig, GraphDependencies } from '../../gateway/edge/dependencies';
import { createHeavyWork, type HeavyWorkSettings } from '../../gateway/edge/overload/heavy-work';
import { refuseUnknownPaths } from '../../gateway/http/not-found';
import { createLogger } from '../../src/main/logger';
import { authenticator, createRateLimiter, idempotency } from './access';

export type EdgeDependencies = Omit<GraphDependencies, 'graph'>;

/** The deps of the edge, all in memory except the request log. */
export function createEdgeDependencies(): EdgeDependencies {
  const log = createLogger('info');
  return {
    config: CONFIG,
    authenticator,
    idempotency,
    rateLimiter: createRateLimiter(),
    findLimit: () => Promise.resolve(1000),
    heavyWork: createHeavyWork({ config: HEAVY_WORK, log }),
    log,
  };
}

/** The limits of quotes and executions, which the measured operations are not. */
const HEAVY_WORK: HeavyWorkSettings = {
  QUOTE_CONCURRENCY: 64,
  EXECUTION_CONCURRENCY: 32,
  QUEUE_LIMIT: 200,
  QUEUE_TIMEOUT_MS: 2000,
  EVENT_LOOP_DELAY_MS: 25,
};

const CONFIG: GatewayConfig = {
  HOST: '127.0.0.1',
  PORT: 0,
  PUBLIC_URL: undefined,
  TRUSTED_PROXIES: 0,
  CORS_ORIGINS: ['*'],
  GRAPHQL_INTROSPECTION: true,
  QUEUE_TIMEOUT_MS: HEAVY_WORK.QUEUE_TIMEOUT_MS,
  REQUEST_TIMEOUT_MS: 30_000,
  SHUTDOWN_DRAIN_MS: 0,
  RATE_LIMIT_PER_MINUTE_UNAUTHENTICATED: 60,
};

/** The gateway's server with everything that it does for any request, and no routes yet. */
export async function createEdge(deps: EdgeDependencies): Promise<FastifyInstance> {
  const app = await createApp(deps);
  endConnectionsWhileStopping(app, () => 'serving');
  refuseUnknownPaths(app, deps);
  return app;
}
