import type { Logger } from 'pino';
import type { FindCustomerLimit } from '../../src/auth/customer-limits';
import type { Authenticator } from '../../src/auth/credentials/authenticator';
import type { IdempotencyStore } from '../../src/auth/idempotency/idempotency-store';
import type { RateLimiter } from '../../src/auth/rate-limit/rate-limiter';
import type { Config } from '../../src/config/config';
import type { Metrics } from '../../src/telemetry/metrics/metrics';
import type { Tracer } from '../../src/telemetry/tracing/tracer';
import type { FederatedGraph } from '../federation/federated-graph';
import type { HeavyWork } from './overload/heavy-work';

/** The part of the configuration that the gateway reads. */
export type GatewayConfig = Pick<
  Config,
  | 'HOST'
  | 'PORT'
  | 'PUBLIC_URL'
  | 'TRUSTED_PROXIES'
  | 'CORS_ORIGINS'
  | 'GRAPHQL_INTROSPECTION'
  | 'QUEUE_TIMEOUT_MS'
  | 'REQUEST_TIMEOUT_MS'
  | 'SHUTDOWN_DRAIN_MS'
  | 'RATE_LIMIT_PER_MINUTE_UNAUTHENTICATED'
>;

/** Dependencies of everything that executes operations of the graph, over REST or GraphQL. */
export interface GraphDependencies {
  readonly config: GatewayConfig;
  readonly graph: FederatedGraph;
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly idempotency: IdempotencyStore;
  readonly findLimit: FindCustomerLimit;
  readonly heavyWork: HeavyWork;
  readonly log: Logger;
  /** Absent when metrics are not configured. */
  readonly metrics?: Metrics | undefined;
  /** Absent when traces are not configured. */
  readonly tracer?: Tracer | undefined;
}
