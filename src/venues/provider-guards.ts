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
  /** `open` while the provider is left alone, and after that until somebody has asked it with success. */
  state(provider: string): 'closed' | 'open';
  /** True while a question would not be asked. */
  isResting(provider: string): boolean;
}

/** How long a question may wait for its turn. One that waited longer is not asked: its answer would come too late. */
export interface Patience {
  readonly signal?: AbortSignal;
  readonly longestWaitMs?: number;
  /** Which failures count as an outage, where fewer do than those of quotes. */
  readonly isOutage?: (error: Error) => boolean;
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
    async run(provider, ask, { signal, longestWaitMs = Infinity, isOutage: counts = isOutage } = {}) {
      const guard = guardOf(provider);
      const question = { provider, ask, signal, counts, latestStart: performance.now() + longestWaitMs };
      try {
        return await guard.bulkhead.execute(() => askGuarded(guard, question), signal);
      } catch (cause) {
        if (isBrokenCircuitError(cause)) throw unasked(provider, LEFT_ALONE, cause);
        if (isBulkheadRejectedError(cause)) throw unasked(provider, CROWDED, cause);
        if (cause instanceof UncountedError) throw cause.cause;
        throw cause;
      }
    },
    state(provider) {
      const { breaker, restsUntil } = guardOf(provider);
      return breaker.state === CircuitState.Open || restsUntil > performance.now() ? 'open' : 'closed';
    },
    isResting(provider) {
      const { breaker, openedAt, restsUntil } = guardOf(provider);
      const now = performance.now();
      return restsUntil > now || (breaker.state === CircuitState.Open && now < openedAt + settings.restMs);
    },
  };
}

type Guard = ReturnType<typeof createGuard>;

function createGuard({ concurrency, queue, failures, restMs }: typeof DEFAULTS) {
  const guard = {
    bulkhead: bulkhead(concurrency, queue),
    breaker: circuitBreaker(
      handleWhen((error) => !isUncounted(error)),
      { halfOpenAfter: restMs, breaker: new ConsecutiveBreaker(failures) },
    ),
    /** On the clock of `performance`. */
    restsUntil: 0,
    openedAt: 0,
  };
  guard.breaker.onBreak(() => (guard.openedAt = performance.now()));
  return guard;
}

/** A failure that says nothing of the provider. */
class UncountedError extends Error {
  override readonly name = 'UncountedError';
}

const isUncounted = (error: Error): boolean => error instanceof AbandonedError || error instanceof UncountedError;

interface Question<Answer> {
  readonly provider: string;
  readonly ask: () => Promise<Answer>;
  readonly signal: AbortSignal | undefined;
  readonly counts: (error: Error) => boolean;
  /** On the clock of `performance`. */
  readonly latestStart: number;
}

/** What a question that has its turn finds may have changed while it waited. */
async function askGuarded<Answer>(guard: Guard, question: Question<Answer>): Promise<Answer> {
  const { provider, ask, latestStart } = question;
  const now = performance.now();
  if (now > latestStart) throw unasked(provider, CROWDED);
  if (guard.restsUntil > now) throw unasked(provider, 'it asked to be left alone for a while');
  // The breaker itself would let everybody wait for the one that tries whether the provider is back.
  if (guard.breaker.state === CircuitState.HalfOpen) throw unasked(provider, LEFT_ALONE);
  try {
    return await guard.breaker.execute(() => ask().catch((error: unknown) => rethrow(error, question)));
  } catch (error) {
    const restMs = Math.min(secondsToRest(error) * 1000, LONGEST_REST_MS);
    guard.restsUntil = Math.max(guard.restsUntil, performance.now() + restMs);
    throw error;
  }
}

/** Whatever an abandoned question failed with, it failed because it was abandoned. */
function rethrow<Answer>(error: unknown, { signal, counts }: Question<Answer>): never {
  if (signal?.reason instanceof AbandonedError) throw signal.reason;
  if (error instanceof Error && !counts(error)) throw new UncountedError('it is sound', { cause: error });
  throw error;
}

/**
 * Only an outage counts: that there is no route, or the amount is too low, is a sound answer. Ramps have codes of their own
 * for not being there: what is behind them tells.
 */
function isOutage(error: Error): boolean {
  if (!isServiceError(error) || error.code === 'PROVIDER_UNAVAILABLE') return true;
  const { kind, status = 0 } = upstreamErrorOf(error) ?? {};
  return kind === 'timeout' || kind === 'unreachable' || (kind === 'status' && status >= 500);
}

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
