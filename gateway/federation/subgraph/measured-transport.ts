import { type Metrics, secondsSince } from '../../../src/telemetry/metrics/metrics';
import { isPromise } from '../maybe-promise';
import type { SubgraphCall, SubgraphTransport } from './subgraph-transport';

type Outcome = 'ok' | 'failed' | 'abandoned';

/**
 * Measures the requests to a subgraph. A request that ends because its caller has disconnected says nothing about the subgraph.
 * Requests of health checks are left out, and so are subscriptions, which last as long as the interest of their callers.
 */
export function measuredTransport(
  transport: SubgraphTransport,
  { subgraph, metrics }: { readonly subgraph: string; readonly metrics: Metrics },
): SubgraphTransport {
  const ended = (startedAt: number, outcome: Outcome): void =>
    metrics.observe('subgraphRequest', { subgraph, outcome }, secondsSince(startedAt));
  const measured =
    (call: SubgraphCall): SubgraphCall =>
    (variables, context) => {
      const startedAt = performance.now();
      const failed = (): void => ended(startedAt, context.lifetime.hasEnded() ? 'abandoned' : 'failed');
      try {
        const result = call(variables, context);
        if (isPromise(result)) {
          result.then(() => ended(startedAt, 'ok'), failed);
        } else ended(startedAt, 'ok');
        return result;
      } catch (error) {
        failed();
        throw error;
      }
    };
  return {
    ...transport,
    compile(operation, document, kind) {
      const call = transport.compile(operation, document, kind);
      return kind === 'subscription' ? call : measured(call);
    },
  };
}
