import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { type OpenTracer, openTracer, type TracerOptions } from '../../src/telemetry/tracing/open-tracer';

const attributesSchema = z
  .array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) }))
  .default([])
  .transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]])));

const spanSchema = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes: attributesSchema,
  status: z.object({ code: z.number().default(0), message: z.string().optional() }).default({ code: 0 }),
});
export type ReceivedSpan = z.infer<typeof spanSchema>;

const requestSchema = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: attributesSchema }),
      scopeSpans: z.array(z.object({ spans: z.array(spanSchema) })),
    }),
  ),
});

/** A receiver of traces on a free port. */
export interface TraceReceiver {
  readonly endpoint: string;
  readonly spans: readonly ReceivedSpan[];
  readonly resources: readonly Readonly<Record<string, unknown>>[];
  readonly headers: readonly NodeJS.Dict<string | string[]>[];
  /** All that was received, as it was sent. */
  readonly text: () => string;
  find(name: string): ReceivedSpan;
  close(): Promise<void>;
}

export async function startTraceReceiver(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = [];
  const resources: Readonly<Record<string, unknown>>[] = [];
  const headers: NodeJS.Dict<string | string[]>[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    headers.push(request.headers);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      bodies.push(`${String(request.url)} ${body}`);
      for (const { resource, scopeSpans } of requestSchema.parse(JSON.parse(body)).resourceSpans) {
        resources.push(resource.attributes);
        spans.push(...scopeSpans.flatMap((scope) => scope.spans));
      }
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    spans,
    resources,
    headers,
    text: () => bodies.join('\n'),
    find(name) {
      const found = spans.find((span) => span.name === name);
      if (found === undefined) throw new Error(`no span ${name} among ${spans.map((span) => span.name).join(', ')}`);
      return found;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A tracer that sends soon. */
export const tracerTo = (endpoint: string, options: Partial<TracerOptions> = {}): OpenTracer =>
  openTracer({
    endpoint,
    headers: {},
    sampleRatio: 1,
    service: 'afluente',
    version: '1',
    warn: () => undefined,
    delayMs: 10,
    ...options,
  });
