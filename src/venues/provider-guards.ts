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
import { UpstreamError, upstreamErrorOf } from '../http/upstream-error';

/**
 * Isolates the providers from the service and from one another. Each provider has:
 *
 * - a **bulkhead**: it bounds how many calls to a slow provider are in flight;
 * - a **circuit breaker**: several failures in a row open it for a while, then one call tests the provider;
 * - a **cooldown**: after a `Retry-After` response the provider is not called before that time, at most a minute.
 */
export interface ProviderGuards {
  /**
   * Runs a call to a provider. An abandoned call does not count as a failure of the provider.
   *
   * @throws PROVIDER_UNAVAILABLE when the call is not made, else what `call` throws
   */
  run<Result>(provider: string, call: () => Promise<Result>, options?: GuardedCallOptions): Promise<Result>;
  /** `open` during the cooldown, and after that until a call succeeds. */
  state(provider: string): 'closed' | 'open';
  /** True while a call would be refused. */
  isCoolingDown(provider: string): boolean;
}

/** Options of one guarded call. A call that waited longer than `maxQueueMs` is not made: its result would come too late. */
export interface GuardedCallOptions {
  readonly signal?: AbortSignal;
  readonly maxQueueMs?: number;
  /** The failures that count as an outage; by default those of quote requests. */
  readonly isOutage?: (error: Error) => boolean;
}

export interface ProviderGuardOptions {
  /** Maximum calls in flight, and maximum calls that wait in the queue. */
  readonly concurrency?: number;
  readonly queue?: number;
  /** Consecutive failures that open the breaker. */
  readonly failures?: number;
  /** How long the breaker then stays open, in milliseconds. */
  readonly cooldownMs?: number;
}

/** The abort reason of a call that no caller waits for any more. */
export class AbandonedError extends Error {
  override readonly name = 'AbandonedError';
}

const DEFAULTS = { concurrency: 48, queue: 200, failures: 5, cooldownMs: 5000 };
/** Upper bound on a provider's `Retry-After`. */
const MAX_COOLDOWN_MS = 60_000;

export function createProviderGuards(options: ProviderGuardOptions = {}): ProviderGuards {
  const settings = { ...DEFAULTS, ...options };
  const guards = new Map<string, Guard>();
  const guardOf = (provider: string): Guard => {
    const guard = guards.get(provider) ?? createGuard(settings);
    guards.set(provider, guard);
    return guard;
  };
  return {
    async run(provider, call, { signal, maxQueueMs = Infinity, isOutage: counts = isOutage } = {}) {
      const guard = guardOf(provider);
      const guarded = { provider, call, signal, counts, latestStartAt: performance.now() + maxQueueMs };
      try {
        return await guard.bulkhead.execute(() => callGuarded(guard, guarded), signal);
      } catch (cause) {
        if (isBrokenCircuitError(cause)) throw notCalled(provider, COOLING_DOWN, cause);
        if (isBulkheadRejectedError(cause)) throw notCalled(provider, QUEUE_FULL, cause);
        if (cause instanceof NoOutageError) throw cause.cause;
        throw cause;
      }
    },
    state(provider) {
      const { breaker, cooldownUntil } = guardOf(provider);
      return breaker.state === CircuitState.Open || cooldownUntil > performance.now() ? 'open' : 'closed';
    },
    isCoolingDown(provider) {
      const { breaker, openedAt, cooldownUntil } = guardOf(provider);
      const now = performance.now();
      return cooldownUntil > now || (breaker.state === CircuitState.Open && now < openedAt + settings.cooldownMs);
    },
  };
}

type Guard = ReturnType<typeof createGuard>;

function createGuard({ concurrency, queue, failures, cooldownMs }: typeof DEFAULTS) {
  const guard = {
    bulkhead: bulkhead(concurrency, queue),
    breaker: circuitBreaker(
      handleWhen((error) => !isUncounted(error)),
      { halfOpenAfter: cooldownMs, breaker: new ConsecutiveBreaker(failures) },
    ),
    /** Milliseconds of `performance.now()`. */
    cooldownUntil: 0,
    openedAt: 0,
  };
  guard.breaker.onBreak(() => (guard.openedAt = performance.now()));
  return guard;
}

/** Wraps a failure that does not count as an outage of the provider. */
class NoOutageError extends Error {
  override readonly name = 'NoOutageError';
}

const isUncounted = (error: Error): boolean => error instanceof AbandonedError || error instanceof NoOutageError;

interface GuardedCall<Result> {
  readonly provider: string;
  readonly call: () => Promise<Result>;
  readonly signal: AbortSignal | undefined;
  readonly counts: (error: Error) => boolean;
  /** Milliseconds of `performance.now()`. */
  readonly latestStartAt: number;
}

/** Checks the guards again: their state may have changed while the call waited in the queue. */
async function callGuarded<Result>(guard: Guard, guarded: GuardedCall<Result>): Promise<Result> {
  const { provider, call, latestStartAt } = guarded;
  const now = performance.now();
  if (now > latestStartAt) throw notCalled(provider, QUEUE_FULL);
  if (guard.cooldownUntil > now) throw notCalled(provider, 'it requested a pause (Retry-After)');
  // The breaker itself would let all calls wait for the one that tests the provider.
  if (guard.breaker.state === CircuitState.HalfOpen) throw notCalled(provider, COOLING_DOWN);
  try {
    return await guard.breaker.execute(() => call().catch((error: unknown) => rethrow(error, guarded)));
  } catch (error) {
    const cooldownMs = Math.min(retryAfterSecondsOf(error) * 1000, MAX_COOLDOWN_MS);
    guard.cooldownUntil = Math.max(guard.cooldownUntil, performance.now() + cooldownMs);
    throw error;
  }
}

/** An abandoned call fails because it was abandoned, whatever error it throws. */
function rethrow<Result>(error: unknown, { signal, counts }: GuardedCall<Result>): never {
  if (signal?.reason instanceof AbandonedError) throw signal.reason;
  if (error instanceof Error && !counts(error)) throw new NoOutageError('not an outage', { cause: error });
  throw error;
}

/**
 * Only outages count: "no route" and "amount too low" are valid responses. Ramps have error codes of their own for an
 * outage, so the upstream error behind the code decides.
 */
function isOutage(error: Error): boolean {
  if (!isServiceError(error) || error.code === 'PROVIDER_UNAVAILABLE') return true;
  const { kind, status = 0 } = upstreamErrorOf(error) ?? {};
  return kind === 'timeout' || kind === 'unreachable' || (kind === 'status' && status >= 500);
}

/** Seconds of the first `Retry-After` in the chain of causes; 0 without one. */
function retryAfterSecondsOf(error: unknown): number {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof UpstreamError && cause.retryAfterSeconds !== undefined) return cause.retryAfterSeconds;
  }
  return 0;
}

const QUEUE_FULL = 'too many calls wait for it';
const COOLING_DOWN = 'it failed repeatedly and is not called for a while';

const notCalled = (provider: string, reason: string, cause?: unknown): ServiceError =>
  serviceError('PROVIDER_UNAVAILABLE', { provider, reason }, { cause });
