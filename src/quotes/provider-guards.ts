import {
  bulkhead,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  handleWhen,
  isBrokenCircuitError,
  isBulkheadRejectedError,
  wrap,
} from 'cockatiel';
import { isServiceError, serviceError } from '../errors/service-error';

/**
 * Keeps the providers from harming the service and one another.
 *
 * - A **bulkhead** each: a slow provider holds up so many questions and no more.
 * - A **breaker** each: one that could not be asked several times in a row is left alone for a while, then tried once.
 */
export interface ProviderGuards {
  /** Runs a question to a provider. @throws PROVIDER_UNAVAILABLE when it is not asked at all, else what `ask` throws */
  run<Answer>(provider: string, ask: () => Promise<Answer>): Promise<Answer>;
  /** `open` while the provider is left alone. */
  state(provider: string): 'closed' | 'open';
}

export interface ProviderGuardOptions {
  /** Questions that run at once, and questions that may wait for their turn. */
  readonly concurrency?: number;
  readonly queue?: number;
  /** Failures in a row that open the breaker. */
  readonly failures?: number;
  /** How long the provider is then left alone, in milliseconds. */
  readonly restMs?: number;
}

const DEFAULTS = { concurrency: 48, queue: 200, failures: 5, restMs: 5000 };

export function createProviderGuards(options: ProviderGuardOptions = {}): ProviderGuards {
  const settings = { ...DEFAULTS, ...options };
  const guards = new Map<string, ReturnType<typeof createGuard>>();
  const guardOf = (provider: string) => {
    const guard = guards.get(provider) ?? createGuard(settings);
    guards.set(provider, guard);
    return guard;
  };
  return {
    async run(provider, ask) {
      try {
        return await guardOf(provider).policy.execute(ask);
      } catch (cause) {
        if (isBrokenCircuitError(cause))
          throw unasked(provider, 'it failed repeatedly and is left alone for a while', cause);
        if (isBulkheadRejectedError(cause)) throw unasked(provider, 'too many questions wait for it', cause);
        throw cause;
      }
    },
    state: (provider) => (guardOf(provider).breaker.state === CircuitState.Open ? 'open' : 'closed'),
  };
}

function createGuard({ concurrency, queue, failures, restMs }: typeof DEFAULTS) {
  const breaker = circuitBreaker(handleWhen(isOutage), {
    halfOpenAfter: restMs,
    breaker: new ConsecutiveBreaker(failures),
  });
  return { breaker, policy: wrap(bulkhead(concurrency, queue), breaker) };
}

/** Only an outage counts: that there is no route, or the amount is too low, is a sound answer. */
const isOutage = (error: Error): boolean => !isServiceError(error) || error.code === 'PROVIDER_UNAVAILABLE';

const unasked = (provider: string, reason: string, cause: unknown) =>
  serviceError('PROVIDER_UNAVAILABLE', { provider, reason }, { cause });
