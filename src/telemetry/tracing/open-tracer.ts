import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import type { OpenSpan, Tracer } from './tracer';

export interface TracerOptions {
  /** Base URL of the receiver: `/v1/traces` is added. */
  readonly endpoint: string;
  /** Sent with every export, such as a token of the receiver. */
  readonly headers: Readonly<Record<string, string>>;
  /** Share of the requests that are traced, 0 to 1. */
  readonly sampleRatio: number;
  readonly service: string;
  readonly version: string;
  /** Called when the receiver begins to fail. */
  readonly warn: (message: string) => void;
  /** Time until collected spans are sent. */
  readonly delayMs?: number;
}

export interface OpenTracer extends Tracer {
  /** Sends the remaining spans, for a limited time. */
  close(): Promise<void>;
}

/** Spans that wait to be sent. Further ones are dropped. */
const MAX_QUEUED = 2048;
const MAX_BATCH = 512;
const DELAY_MS = 5000;
const EXPORT_TIMEOUT_MS = 5000;

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

/** Nothing is registered globally: no library adds headers to requests to third parties. */
export function openTracer(options: TracerOptions): OpenTracer {
  const { endpoint, headers, sampleRatio, service, version, warn, delayMs = DELAY_MS } = options;
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: EXPORT_TIMEOUT_MS });
  const processor = new BatchSpanProcessor(reportingFailures(exporter, warn), {
    maxQueueSize: MAX_QUEUED,
    maxExportBatchSize: MAX_BATCH,
    scheduledDelayMillis: delayMs,
    exportTimeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const provider = new NodeTracerProvider({
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    spanProcessors: [processor],
  });
  return { ...tracerOf(provider), close: () => provider.shutdown().catch(() => undefined) };
}

function tracerOf(provider: Pick<NodeTracerProvider, 'getTracer'>): Tracer {
  const tracer = provider.getTracer('afluente');
  const present = new AsyncLocalStorage<OpenSpan>();
  const start: Tracer['start'] = ({ name, kind, attributes = {} }, traceparent) => {
    const parent = contextOf(traceparent ?? present.getStore()?.traceparent);
    return openSpan(tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes } }, parent));
  };
  const within: Tracer['within'] = (span, work) => present.run(span, work);
  return {
    start,
    within,
    run(description, work, traceparent) {
      const span = start(description, traceparent);
      return endAfter(span, () => within(span, work));
    },
    current: () => present.getStore(),
  };
}

/** Ends the span when the work has ended: that of a promise when it settles. */
function endAfter<Result>(span: OpenSpan, work: () => Result): Result {
  try {
    const result = work();
    if (!(result instanceof Promise)) {
      span.end({ failed: false });
      return result;
    }
    result.then(
      () => span.end({ failed: false }),
      () => span.end({ failed: true }),
    );
    return result;
  } catch (error) {
    span.end({ failed: true });
    throw error;
  }
}

function openSpan(span: Span): OpenSpan {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED) !== 0 ? '01' : '00'}`,
    end({ failed, attributes }) {
      if (!span.isRecording()) return;
      if (attributes !== undefined) span.setAttributes({ ...attributes });
      // No message: errors of third parties may contain anything.
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-(0[01])$/;

/** A malformed header starts a new trace. */
function contextOf(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT;
  const traceFlags = flags === '01' ? TraceFlags.SAMPLED : TraceFlags.NONE;
  const parent: SpanContext = { traceId, spanId, traceFlags, isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, parent);
}

/** An unreachable receiver is logged when it begins to fail, and is no reason to wait. */
function reportingFailures(exporter: SpanExporter, warn: TracerOptions['warn']): SpanExporter {
  let hasFailed = false;
  return {
    export(spans, onResult) {
      exporter.export(spans, (result) => {
        const isFailure = result.error !== undefined;
        if (isFailure && !hasFailed) warn('traces could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT and are dropped');
        hasFailed = isFailure;
        onResult(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
