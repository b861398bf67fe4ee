import type { Logger } from 'pino';
import type { Config } from '../../src/config/config';
import type { ExampleTrade } from './pages/example-queries';
import type { FederatedGraph } from '../federation/federated-graph';
import type { Authenticator } from '../../src/auth/authenticator';
import type { IdempotencyStore } from '../../src/auth/idempotency';
import type { RateLimiter } from '../../src/auth/rate-limiter';

/** What the edge reads of the configuration. */
export type GatewayConfig = Pick<
  Config,
  | 'HOST'
  | 'PORT'
  | 'PUBLIC_URL'
  | 'TRUSTED_PROXIES'
  | 'CORS_ORIGINS'
  | 'GRAPHQL_INTROSPECTION'
  | 'REQUEST_TIMEOUT_MS'
  | 'RATE_LIMIT_PER_MINUTE_UNAUTHENTICATED'
>;

/** The body of `GET /health`, and whether this process can serve. */
export interface HealthReport {
  readonly serving: boolean;
  readonly body: {
    readonly status: 'ok' | 'degraded';
    readonly version: string;
    readonly uptimeSeconds: number;
    readonly checks: Readonly<Record<string, unknown>>;
  };
}

export interface GatewayDependencies {
  readonly config: GatewayConfig;
  readonly graph: FederatedGraph;
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly idempotency: IdempotencyStore;
  /** Asked at every health request: whoever makes the report decides how fresh it is. */
  readonly health: () => Promise<HealthReport>;
  /** What the examples of GraphiQL trade. */
  readonly example: ExampleTrade;
  readonly log: Logger;
}
