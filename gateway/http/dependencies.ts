import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { Config } from '../../src/config/config';
import type { FieldCheck } from '../rest/coercion/compile-coercer';
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

/** Takes in what ramps call back with. What they say is a reason to ask them, and is not believed. */
export interface RampCallbackIntake {
  /** False when the ramp did not sign it. */
  takePrimary(callback: { readonly headers: IncomingHttpHeaders; readonly rawBody: Buffer }): Promise<boolean>;
  /** True for the secret that the secondary ramp was given with the URL to call: it signs nothing. */
  isSecret(candidate: string): boolean;
  takeSecondary(rawBody: Buffer): Promise<void>;
}

/** A picture as PNG; `undefined` when the token is not the action's, or there is nothing to pay by it. */
export type PaymentQrCode = (actionId: string, token: string) => Promise<Buffer | undefined>;

/** What the graph is served with. */
export interface GraphDependencies {
  readonly config: GatewayConfig;
  readonly graph: FederatedGraph;
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly idempotency: IdempotencyStore;
  readonly log: Logger;
  /** By operation of a route: what its domain says of the arguments together with what is wrong with each alone. */
  readonly fieldChecks?: Readonly<Partial<Record<string, FieldCheck>>>;
}

export interface GatewayDependencies extends GraphDependencies {
  /** Asked at every health request: whoever makes the report decides how fresh it is. */
  readonly health: () => Promise<HealthReport>;
  /** What the examples of GraphiQL trade. */
  readonly example: ExampleTrade;
  readonly rampCallbacks: RampCallbackIntake;
  readonly paymentQrCode: PaymentQrCode;
}
