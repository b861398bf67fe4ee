import { type Metrics, secondsSince } from '../../../src/telemetry/metrics/metrics';
import { isPromise } from '../maybe-promise';
import type { SubgraphCall, SubgraphTransport } from './subgraph-transport';

/** Measures the requests to a subgraph. Requests of health checks are left out. */
export function measuredTransport(
  transport: SubgraphTransport,
  { subgraph, metrics }: { readonly subgraph: string; readonly metrics: Metrics },
): SubgraphTransport {
  const ended = (startedAt: number, outcome: 'ok' | 'failed'): void =>
    metrics.observe('subgraphRequest', { subgraph, outcome }, secondsSince(startedAt));
  const measured =
    (call: SubgraphCall): SubgraphCall =>
    (variables, context) => {
      const startedAt = performance.now();
      try {
        const result = call(variables, context);
        if (isPromise(result)) {
          result.then(
            () => ended(startedAt, 'ok'),
            () => ended(startedAt, 'failed'),
          );
        } else ended(startedAt, 'ok');
        return result;
      } catch (error) {
        ended(startedAt, 'failed');
        throw error;
      }
    };
  return {
    ...transport,
    compile: (operation, document, kind) => measured(transport.compile(operation, document, kind)),
  };
}
