import type { Logger } from 'pino';
import type { Config } from '../config/config';
import { VERSION } from '../config/version';
import type { PrometheusMetrics } from '../telemetry/metrics/prometheus';
import { type MetricsServer, serveMetrics } from '../telemetry/metrics/serve-metrics';
import { NO_TELEMETRY, type Telemetry } from '../telemetry/telemetry';
import { traceFields } from '../telemetry/tracing/tracer';
import type { OpenTracer } from '../telemetry/tracing/open-tracer';
import type { Infrastructure } from './infrastructure';
import { createLogger } from './logger';
import { collectProcess } from './metrics/process-collectors';
import { StartupError } from './startup-error';

/** Telemetry of a process, with the port that serves it. */
export interface OpenTelemetry extends Telemetry {
  /** Opens the port of the metrics, where one is configured. @throws StartupError when it is in use */
  serve(infrastructure: Infrastructure): Promise<void>;
  close(): Promise<void>;
}

/** Without metrics and traces. */
export const NO_OPEN_TELEMETRY: OpenTelemetry = {
  ...NO_TELEMETRY,
  serve: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

type MetricsSettings = Pick<Config, 'METRICS_PORT' | 'METRICS_HOST'>;
type TracingSettings = Pick<
  Config,
  'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_HEADERS' | 'OTEL_SERVICE_NAME' | 'OTEL_TRACES_SAMPLER_ARG'
>;

/** The log and the telemetry of a process. */
export interface Observation {
  readonly log: Logger;
  readonly telemetry: OpenTelemetry;
}

/** Opens the log, and the metrics and traces that are configured. Nothing else is loaded. */
export async function openObservation(
  config: MetricsSettings & TracingSettings & Pick<Config, 'LOG_LEVEL'>,
): Promise<Observation> {
  const tracer = await openTracing(config, (message) => log.warn(message));
  const fields = tracer && (() => traceFields(tracer));
  const log = createLogger(config.LOG_LEVEL, { fields });
  return { log, telemetry: await openTelemetry(config, { log, tracer }) };
}

async function openTelemetry(
  config: MetricsSettings & TracingSettings,
  { log, tracer }: { readonly log: Logger; readonly tracer: OpenTracer | undefined },
): Promise<OpenTelemetry> {
  const { METRICS_PORT: port, METRICS_HOST: host } = config;
  const metrics = port === undefined ? undefined : await loadMetrics(log);
  let server: MetricsServer | undefined;
  return {
    metrics,
    tracer,
    async serve(infrastructure) {
      if (metrics === undefined || port === undefined) return;
      collectProcess(metrics, infrastructure);
      server = await listen({ host, port, metrics });
      log.info({ url: server.url }, 'metrics are served');
    },
    async close() {
      await Promise.all([server?.close(), tracer?.close()]);
    },
  };
}

async function loadMetrics(log: Logger): Promise<PrometheusMetrics> {
  const { createPrometheusMetrics } = await import('../telemetry/metrics/prometheus');
  return createPrometheusMetrics({ log });
}

/** `undefined` without a receiver. */
async function openTracing(config: TracingSettings, warn: (message: string) => void): Promise<OpenTracer | undefined> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  const { openTracer } = await import('../telemetry/tracing/open-tracer');
  return openTracer({
    endpoint,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    sampleRatio: config.OTEL_TRACES_SAMPLER_ARG,
    service: config.OTEL_SERVICE_NAME,
    version: VERSION,
    warn,
  });
}

async function listen(options: {
  readonly host: string;
  readonly port: number;
  readonly metrics: PrometheusMetrics;
}): Promise<MetricsServer> {
  try {
    return await serveMetrics(options);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const address = `port ${String(options.port)} of ${options.host}`;
    if (code === 'EADDRINUSE') {
      throw new StartupError(
        `The metrics cannot be served: ${address} is already in use. Set METRICS_PORT to a free one.`,
      );
    }
    throw new StartupError(`The metrics cannot be served on ${address}: ${message}. Check METRICS_HOST.`);
  }
}
