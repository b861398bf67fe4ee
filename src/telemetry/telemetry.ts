import type { Metrics } from './metrics/metrics';
import type { Tracer } from './tracing/tracer';

/** Metrics and traces of a process. Each part is absent when it is not configured. */
export interface Telemetry {
  readonly metrics: Metrics | undefined;
  readonly tracer: Tracer | undefined;
}

export const NO_TELEMETRY: Telemetry = { metrics: undefined, tracer: undefined };
