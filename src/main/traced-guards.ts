import type { Tracer } from '../telemetry/tracing/tracer';
import type { ProviderGuards } from '../venues/provider-guards';

/** Adds a span for each call to a provider, its wait in the queue included. A call that two requests share is in the first one's trace. */
export function tracedGuards(tracer: Tracer | undefined, guards: ProviderGuards): ProviderGuards {
  if (tracer === undefined) return guards;
  return {
    ...guards,
    async run(provider, call, options) {
      if (tracer.current() === undefined) return guards.run(provider, call, options);
      const attributes = { 'afluente.provider': provider, 'afluente.chains': options?.chains ?? '' };
      const span = tracer.start({ name: `provider ${provider}`, kind: 'client', attributes });
      let failed = true;
      try {
        // The queue may start the call from another request.
        const result = await guards.run(provider, () => tracer.within(span, call), options);
        failed = false;
        return result;
      } finally {
        span.end({ failed });
      }
    },
  };
}
