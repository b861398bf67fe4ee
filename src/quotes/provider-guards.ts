import {
  bulkhead,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  handleWhen,
  isBrokenCircuitError,
  isBulkheadRejectedError,
} from 'cockatiel';
import { isServiceError, serviceError, type ServiceError } from '../errors/service-error';
import { UpstreamError } from '../http/upstream-error';

/**
 * Keeps the providers from harming the service and one another.
 *
 * - A **bulkhead** each: a slow provider holds up so many questions and no more.
 * - A **breaker** each: one that could not be asked several times in a row is left alone for a while, then tried once.
 * - A **rest** each: one that says when it may be asked again (`Retry-After`) is not asked before, at most a minute.
 */
export interface ProviderGuards {
  /**
   * Runs a question to a provider; one that was abandoned tells nothing about the provider.
   *
   * @throws PROVIDER_UNAVAILABLE when it is not asked at all, else what `ask` throws
   */
  run<Answer>(provider: string, ask: () => Promise<Answer>, patience?: Patience): Promise<Answer>;
  /** `open` while the provider is left alone. */
  state(provider: string): 'closed' | 'open';
}

/** How long a question may wait for its turn. One that waited longer is not asked: its answer would come too late. */
export interface Patience {
  readonly signal?: AbortSignal;
  readonly longestWaitMs?: number;
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

/** Why a question was aborted of which nobody awaits the answer any more. */
export class AbandonedError extends Error {
  override readonly name = 'AbandonedError';
}

const DEFAULTS = { concurrency: 48, queue: 200, failures: 5, restMs: 5000 };
/** However long a provider wants to be left alone. */
const LONGEST_REST_MS = 60_000;

export function createProviderGuards(options: ProviderGuardOptions = {}): ProviderGuards {
  const settings = { ...DEFAULTS, ...options };
  const guards = new Map<string, Guard>();
  const guardOf = (provider: string): Guard => {
    const guard = guards.get(provider) ?? createGuard(settings);
    guards.set(provider, guard);
    return guard;
  };
  return {
    async run(provider, ask, { signal, longestWaitMs = Infinity } = {}) {
      const guard = guardOf(provider);
      const question = { provider, ask, signal, latestStart: performance.now() + longestWaitMs };
      try {
        return await guard.bulkhead.execute(() => askGuarded(guard, question), signal);
      } catch (cause) {
        if (isBrokenCircuitError(cause)) throw unasked(provider, LEFT_ALONE, cause);
        if (isBulkheadRejectedError(cause)) throw unasked(provider, CROWDED, cause);
        throw cause;
      }
    },
    state(provider) {
      const { breaker, restsUntil } = guardOf(provider);
      return breaker.state === CircuitState.Open || restsUntil > performance.now() ? 'open' : 'closed';
    },
  };
}

type Guard = ReturnType<typeof createGuard>;

const createGuard = ({ concurrency, queue, failures, restMs }: typeof DEFAULTS) => ({
  bulkhead: bulkhead(concurrency, queue),
  breaker: circuitBreaker(handleWhen(isOutage), {
    halfOpenAfter: restMs,
    breaker: new ConsecutiveBreaker(failures),
  }),
  /** On the clock of `performance`. */
  restsUntil: 0,
});

interface Question<Answer> {
  readonly provider: string;
  readonly ask: () => Promise<Answer>;
  readonly signal: AbortSignal | undefined;
  /** On the clock of `performance`. */
  readonly latestStart: number;
}

/** What a question that has its turn finds may have changed while it waited. */
async function askGuarded<Answer>(guard: Guard, question: Question<Answer>): Promise<Answer> {
  const { provider, ask, signal, latestStart } = question;
  const now = performance.now();
  if (now > latestStart) throw unasked(provider, CROWDED);
  if (guard.restsUntil > now) throw unasked(provider, 'it asked to be left alone for a while');
  // The breaker itself would let everybody wait for the one that tries whether the provider is back.
  if (guard.breaker.state === CircuitState.HalfOpen) throw unasked(provider, LEFT_ALONE);
  try {
    return await guard.breaker.execute(() => ask().catch((error: unknown) => rethrow(error, signal)));
  } catch (error) {
    const restMs = Math.min(secondsToRest(error) * 1000, LONGEST_REST_MS);
    guard.restsUntil = Math.max(guard.restsUntil, performance.now() + restMs);
    throw error;
  }
}

/** Whatever an abandoned question failed with, it failed because it was abandoned. */
function rethrow(error: unknown, signal: AbortSignal | undefined): never {
  if (signal?.reason instanceof AbandonedError) throw signal.reason;
  throw error;
}

/** Only an outage counts: that there is no route, or the amount is too low, is a sound answer. */
const isOutage = (error: Error): boolean =>
  !(error instanceof AbandonedError) && (!isServiceError(error) || error.code === 'PROVIDER_UNAVAILABLE');

/** What `Retry-After` said, wherever it is in the chain of causes; 0 when it said nothing. */
function secondsToRest(error: unknown): number {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof UpstreamError && cause.retryAfterSeconds !== undefined) return cause.retryAfterSeconds;
  }
  return 0;
}

const CROWDED = 'too many questions wait for it';
const LEFT_ALONE = 'it failed repeatedly and is left alone for a while';

const unasked = (provider: string, reason: string, cause?: unknown): ServiceError =>
  serviceError('PROVIDER_UNAVAILABLE', { provider, reason }, { cause });
