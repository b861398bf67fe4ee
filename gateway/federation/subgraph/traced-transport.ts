import type { Tracer } from '../../../src/telemetry/tracing/tracer';
import type { SubgraphTransport } from './subgraph-transport';

/** Adds a span for each request to a subgraph. A stream's span ends when the stream begins. */
export const tracedTransport = (
  transport: SubgraphTransport,
  { subgraph, tracer }: { readonly subgraph: string; readonly tracer: Tracer },
): SubgraphTransport => ({
  ...transport,
  compile(operation, document, kind) {
    const call = transport.compile(operation, document, kind);
    const attributes = { 'afluente.subgraph': subgraph, 'graphql.operation.type': kind };
    const description = { name: `subgraph ${subgraph}`, kind: 'client', attributes } as const;
    return (variables, context) => tracer.run(description, () => call(variables, context));
  },
});
