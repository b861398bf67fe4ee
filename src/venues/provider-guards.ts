import {
  bulkhead,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  handleWhen,
  isBrokenCircuitError,
  isBulkheadRejectedError,
} from 'cockatiel';
import { interruptible } from '../async/interruptible';
import { onAbort } from '../async/race-abort';
import { isServiceError, serviceError, type ServiceError } from '../errors/service-error';
import { UpstreamError, upstreamErrorOf } from '../http/upstream-error';

/**
 * Isolates the providers from the service and from one another. Each provider has:
 *
 * - a **bulkhead**: it bounds how many calls to a slow provider are in flight;
 * - a **circuit breaker** for each chain or pair of chains: several failures in a row open it for a while, then one call
 *   tests the provider. An outage of one chain leaves the provider's other chains open;
 * - a **cooldown**: after a `Retry-After` response the provider is not called before that time, at most a minute.
 */
export interface ProviderGuards {
  /**
   * Runs a call to a provider. An abandoned call does not count as a failure of the provider. The signal ends a call that
   * waits in the queue; a call that runs ends when `call` does.
   *
   * @throws PROVIDER_UNAVAILABLE when the call is not made, the reason of a signal that aborted before, else what `call` throws
   */
  run<Result>(provider: string, call: () => Promise<Result>, options?: GuardedCallOptions): Promise<Result>;
  /** `open` during the cooldown, and while the breaker of any chain is open. */
  state(provider: string): 'closed' | 'open';
  /** True while calls without `chains` would be refused. */
  isCoolingDown(provider: string): boolean;
  /** The breakers of all providers that were called. */
  breakers(): readonly BreakerState[];
}

/** A breaker of a provider. `chains` as in `GuardedCallOptions`; empty for calls without. */
export interface BreakerState {
  readonly provider: string;
  readonly chains: string;
  /** True while it lets no call through, or only the one that tests the provider, and during the provider's cooldown. */
  readonly isOpen: boolean;
}

/** How a call ended: `notCalled` when the guards refused it, `rejected` by a response that is no outage. */
export type GuardedOutcome = 'ok' | 'rejected' | 'outage' | 'notCalled' | 'abandoned';

/** Options of one guarded call. A call that waited longer than `maxQueueMs` is not made: its result would come too late. */
export interface GuardedCallOptions {
  readonly signal?: AbortSignal;
  readonly maxQueueMs?: number;
  /** The chains that the call depends on, for example `1` or `1>137`. Calls with the same value share a breaker. */
  readonly chains?: string;
  /** The failures that count as an outage; by default those of quote requests. */
  readonly isOutage?: (error: Error) => boolean;
  /** Name of the provider in the error of a call that is not made; by default its id. */
  readonly name?: string;
}

export interface ProviderGuardOptions {
  /** Maximum calls in flight, and maximum calls that wait in the queue. */
  readonly concurrency?: number;
  readonly queue?: number;
  /** Consecutive failures that open the breaker. */
  readonly failures?: number;
  /** How long the breaker then stays open, in milliseconds. */
  readonly cooldownMs?: number;
  /** Called when a call has ended. */
  readonly onCall?: (provider: string, outcome: GuardedOutcome) => void;
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
  const { onCall } = options;
  const guards = new Map<string, Guard>();
  const guardOf = (provider: string): Guard => {
    const guard = guards.get(provider) ?? createGuard(settings);
    guards.set(provider, guard);
    return guard;
  };
  return {
    async run(provider, call, options = {}) {
      const { signal, maxQueueMs = Infinity, chains = NO_CHAINS, isOutage: counts = isOutage } = options;
      const { name = provider } = options;
      const guard = guardOf(provider);
      const breaker = breakerOf(guard, chains);
      const guarded = { name, breaker, call, signal, counts, latestStartAt: performance.now() + maxQueueMs };
      try {
        const result = await inSlot(guard, guarded);
        onCall?.(provider, 'ok');
        return result;
      } catch (cause) {
        onCall?.(provider, outcomeOf(cause, signal));
        throw shownError(name, cause);
      }
    },
    state(provider) {
      const { breakers, cooldownUntil } = guardOf(provider);
      const isOpen = [...breakers.values()].some(({ policy }) => policy.state === CircuitState.Open);
      return isOpen || cooldownUntil > performance.now() ? 'open' : 'closed';
    },
    isCoolingDown(provider) {
      const guard = guardOf(provider);
      const { policy, openedAt } = breakerOf(guard, NO_CHAINS);
      const now = performance.now();
      return guard.cooldownUntil > now || (policy.state === CircuitState.Open && now < openedAt + settings.cooldownMs);
    },
    breakers: () =>
      [...guards].flatMap(([provider, { breakers, cooldownUntil }]) => {
        const isPaused = cooldownUntil > performance.now();
        return [...breakers].map(([chains, { policy, openedAt }]) => {
          const isResting = policy.state === CircuitState.Open && performance.now() < openedAt + settings.cooldownMs;
          return { provider, chains, isOpen: isPaused || isResting || policy.state === CircuitState.HalfOpen };
        });
      }),
  };
}

/** The error for the caller of a provider. */
function shownError(name: string, cause: unknown): unknown {
  if (isBrokenCircuitError(cause)) return notCalled(name, COOLING_DOWN, cause);
  if (isBulkheadRejectedError(cause)) return notCalled(name, QUEUE_FULL, cause);
  return cause instanceof NoOutageError ? cause.cause : cause;
}

/** The outcome of a call that threw. */
function outcomeOf(cause: unknown, signal: AbortSignal | undefined): GuardedOutcome {
  if (cause instanceof AbandonedError || signal?.reason instanceof AbandonedError) return 'abandoned';
  if (cause instanceof NoOutageError) return 'rejected';
  const isRefused =
    isBrokenCircuitError(cause) || isBulkheadRejectedError(cause) || (cause instanceof Error && refusals.has(cause));
  return isRefused ? 'notCalled' : 'outage';
}

const NO_CHAINS = '';

type Guard = ReturnType<typeof createGuard>;
type Breaker = ReturnType<typeof createBreaker>;

const createGuard = (settings: typeof DEFAULTS) => ({
  settings,
  bulkhead: bulkhead(settings.concurrency, settings.queue),
  /** By chain or pair of chains: bounded by the configured chains. */
  breakers: new Map<string, Breaker>(),
  /** Milliseconds of `performance.now()`. */
  cooldownUntil: 0,
});

function breakerOf({ breakers, settings }: Guard, chains: string): Breaker {
  const breaker = breakers.get(chains) ?? createBreaker(settings);
  breakers.set(chains, breaker);
  return breaker;
}

function createBreaker({ failures, cooldownMs }: typeof DEFAULTS) {
  const breaker = {
    policy: circuitBreaker(
      handleWhen((error) => !isUncounted(error)),
      { halfOpenAfter: cooldownMs, breaker: new ConsecutiveBreaker(failures) },
    ),
    /** Milliseconds of `performance.now()`. */
    openedAt: 0,
  };
  breaker.policy.onBreak(() => (breaker.openedAt = performance.now()));
  return breaker;
}

/** Wraps a failure that does not count as an outage of the provider. */
class NoOutageError extends Error {
  override readonly name = 'NoOutageError';
}

const isUncounted = (error: Error): boolean => error instanceof AbandonedError || error instanceof NoOutageError;

interface GuardedCall<Result> {
  readonly name: string;
  readonly breaker: Breaker;
  readonly call: () => Promise<Result>;
  readonly signal: AbortSignal | undefined;
  readonly counts: (error: Error) => boolean;
  /** Milliseconds of `performance.now()`. */
  readonly latestStartAt: number;
}

/**
 * Makes the call in a slot of the bulkhead. The bulkhead itself gets no signal: it gives up the slot that an aborted call in
 * its queue was offered, and the calls behind that one would wait although slots are free.
 */
function inSlot<Result>(guard: Guard, guarded: GuardedCall<Result>): Promise<Result> {
  const { signal } = guarded;
  if (signal === undefined) return guard.bulkhead.execute(() => callGuarded(guard, guarded));
  signal.throwIfAborted();
  let isRunning = false;
  const work = guard.bulkhead.execute(() => {
    isRunning = true;
    signal.throwIfAborted();
    return callGuarded(guard, guarded);
  });
  return interruptible(work, ({ reject }) =>
    onAbort(signal, () => {
      if (!isRunning) reject(signal.reason as Error);
    }),
  );
}

/** Checks the guards again: their state may have changed while the call waited in the queue. */
async function callGuarded<Result>(guard: Guard, guarded: GuardedCall<Result>): Promise<Result> {
  const { name, breaker, call, latestStartAt } = guarded;
  const now = performance.now();
  if (now > latestStartAt) throw notCalled(name, QUEUE_FULL);
  if (guard.cooldownUntil > now) throw notCalled(name, 'it requested a pause (Retry-After)');
  // The breaker itself would let all calls wait for the one that tests the provider.
  if (breaker.policy.state === CircuitState.HalfOpen) throw notCalled(name, COOLING_DOWN);
  try {
    return await breaker.policy.execute(() => call().catch((error: unknown) => rethrow(error, guarded)));
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
 * Only outages count: "no route" and "amount too low" are valid responses, and a request that the provider rejects
 * (4xx) or that our code cannot encode is the fault of its caller, whose requests must not close the provider to others.
 * Ramps have error codes of their own for an outage, so the upstream error behind the code decides.
 */
function isOutage(error: Error): boolean {
  const upstream = upstreamErrorOf(error);
  if (upstream !== undefined) return isUpstreamOutage(upstream, error);
  if (isServiceError(error)) return error.code === 'PROVIDER_UNAVAILABLE';
  return !(error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError);
}

function isUpstreamOutage({ kind, status = 0 }: UpstreamError, error: Error): boolean {
  if (kind === 'status') return status >= 500 || status === 408;
  if (kind === 'unreadable') return isServiceError(error) && error.code === 'PROVIDER_UNAVAILABLE';
  return true;
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

/** Errors of calls that were not made. */
const refusals = new WeakSet<Error>();

function notCalled(provider: string, reason: string, cause?: unknown): ServiceError {
  const error = serviceError('PROVIDER_UNAVAILABLE', { provider, reason }, { cause });
  refusals.add(error);
  return error;
}
