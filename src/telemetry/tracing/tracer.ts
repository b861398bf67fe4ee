/** A part of the work on a request, with its beginning and its end. */
export interface SpanDescription {
  /** From a bounded set: never a path, an address or an id. */
  readonly name: string;
  readonly kind: 'server' | 'client' | 'internal';
  readonly attributes?: SpanAttributes;
}

/** Values that are no personal data and no credentials: traces leave the service. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface OpenSpan {
  /** The header that continues the trace in another process of the service. */
  readonly traceparent: string;
  /** Idempotent. */
  end(result: { readonly failed: boolean; readonly attributes?: SpanAttributes }): void;
}

/** Records traces. Never throws, and never waits for the receiver of the traces. */
export interface Tracer {
  /** Starts a span below the present one, or below that of a `traceparent` of this service. */
  start(description: SpanDescription, traceparent?: string): OpenSpan;
  /** Runs work, and all that it starts, with a span as the present one. */
  within<Result>(span: OpenSpan, work: () => Result): Result;
  /** Runs work in a span of its own, started as by `start`, which ends when the work has ended. */
  run<Result>(description: SpanDescription, work: () => Result, traceparent?: string): Result;
  /** The present span. */
  current(): OpenSpan | undefined;
}

/** The fields of the present trace, for the log. */
export const traceFields = (tracer: Tracer): object => {
  const [, traceId, spanId] = tracer.current()?.traceparent.split('-') ?? [];
  return traceId === undefined ? {} : { traceId, spanId };
};
