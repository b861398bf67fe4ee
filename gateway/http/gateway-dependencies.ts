import type { IncomingHttpHeaders } from 'node:http';
import type { RestDependencies } from '../rest/mount-routes';
import type { ExampleValues } from '../edge/example-values';

/** The body of `GET /health`, and whether this process can serve requests. */
export interface HealthReport {
  readonly serving: boolean;
  readonly body: {
    readonly status: 'ok' | 'degraded';
    readonly version: string;
    readonly uptimeSeconds: number;
    readonly checks: Readonly<Record<string, unknown>>;
  };
}

/** Both methods may return a result some time old, so that health checks do not load what they check. */
export interface HealthCheck {
  report(): Promise<HealthReport>;
  /** Checks the database and the subgraphs alone, without waiting for the other parts of the report. */
  isReady(): Promise<boolean>;
}

/** Receives the callbacks of ramps. Their content is not trusted: a callback only makes the service poll the ramp. */
export interface RampCallbackIntake {
  /** False when the primary ramp did not sign the callback. */
  receivePrimaryCallback(callback: {
    readonly headers: IncomingHttpHeaders;
    readonly rawBody: Buffer;
  }): Promise<boolean>;
  /** Whether this is the secret in the callback URL of the secondary ramp, which signs nothing. */
  isSecret(candidate: string): boolean;
  receiveSecondaryCallback(rawBody: Buffer): Promise<void>;
}

/** Renders a payment as a PNG; `undefined` when the token is not the action's, or nothing is to be paid with it. */
export type PaymentQrCode = (actionId: string, token: string) => Promise<Buffer | undefined>;

/** Dependencies of the whole gateway. */
export interface GatewayDependencies extends RestDependencies {
  readonly health: HealthCheck;
  readonly example: ExampleValues;
  readonly rampCallbacks: RampCallbackIntake;
  readonly paymentQrCode: PaymentQrCode;
  /** Waits while the server drains; a timer by default. Tests set it. */
  readonly waitForDrain?: ((milliseconds: number) => Promise<unknown>) | undefined;
}
