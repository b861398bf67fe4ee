import { anySignal } from '../../async/any-signal';
import { rejectOnAbort } from '../../async/race-abort';
import { createSharedCapacity, type SharedCapacity } from '../../async/shared-capacity';
import type { CustomerId } from '../../auth/principal';
import type { Chain } from '../../chains/chain';
import { isServiceError, serviceError, type ServiceError } from '../../errors/service-error';
import type { TokenBalanceDeps } from './balance-deps';

/** Calls to one chain for one request, which share a time limit. It begins with the first call, behind the queue. */
export interface ChainCalls {
  /** Calls that depend on the chain alone: their failure counts as one of the chain. @throws PROVIDER_UNAVAILABLE */
  required<Result>(run: ChainCall<Result>): Promise<Result>;
  /**
   * Calls to what callers name, such as contracts and wallets: their failure says nothing about the chain. `undefined` when
   * they fail, and when the customer makes too many at once. `run` returns what it has when the signal aborts.
   */
  optional<Result>(run: ChainCall<Result>): Promise<Result | undefined>;
}

type ChainCall<Result> = (signal: AbortSignal) => Promise<Result>;

/** Time limit of the calls. */
const CHAIN_TIMEOUT_MS = 1500;
/**
 * Time limit for a chain that did not respond in time when it was last called: an overview waits 800 ms for all chains, and
 * shows the other ones as they are now only when this chain has given up by then.
 */
const LATE_CHAIN_TIMEOUT_MS = 300;
/** A call that waits longer for others of this process is not made. */
const MAX_QUEUE_MS = 500;

/** Optional calls of one customer to one chain, of the 48 that the guards make at once: slow contracts of one leave slots to others. */
const MAX_OPTIONAL_CALLS = 32;

/** Bounds the optional calls of each customer to each chain in this process. */
export const createOptionalCallCapacity = (perCustomer = MAX_OPTIONAL_CALLS): SharedCapacity =>
  createSharedCapacity({
    perCustomer,
    total: Infinity,
    customerError: (maximum) =>
      serviceError('SERVICE_UNAVAILABLE', {
        reason: `a customer reads at most ${String(maximum)} lists of tokens at once`,
      }),
    full: 'reading tokens',
  });

type ChainCallDeps = Pick<TokenBalanceDeps, 'guards' | 'optionalCalls' | 'lateChains' | 'chainTimeoutMs' | 'log'>;

interface ChainCaller {
  readonly customerId: CustomerId;
  readonly chain: Chain;
  readonly signal: AbortSignal;
}

export function createChainCalls(
  { guards, optionalCalls, lateChains, log, chainTimeoutMs = CHAIN_TIMEOUT_MS }: ChainCallDeps,
  { customerId, chain: { slug }, signal }: ChainCaller,
): ChainCalls {
  const name = `${slug} RPC`;
  const overall = AbortSignal.timeout(MAX_QUEUE_MS + chainTimeoutMs);
  const end = anySignal(signal, overall);
  let timeout: AbortSignal | undefined;
  const start = (): AbortSignal => (timeout ??= AbortSignal.timeout(chainTimeoutMs));
  const isLate = (): boolean => overall.aborted || timeout?.aborted === true;
  const limits = { name, signal: end, maxQueueMs: MAX_QUEUE_MS };
  return {
    async required(run) {
      const call = async () => {
        const limit = anySignal(end, start());
        const shortTimeout = lateChains.has(slug) ? AbortSignal.timeout(LATE_CHAIN_TIMEOUT_MS) : undefined;
        const result = run(limit);
        // Also after it was given up: a chain that is only slow gets its whole time again.
        result.then(() => lateChains.delete(slug)).catch(() => undefined);
        try {
          return await rejectOnAbort(result, shortTimeout === undefined ? limit : anySignal(limit, shortTimeout));
        } catch (error) {
          if (!isLate() && shortTimeout?.aborted !== true) throw error;
          if (!signal.aborted) lateChains.add(slug);
          throw notInTime(name, error);
        }
      };
      // A caller that disconnects says nothing about the chain.
      const isOutage = (error: Error): boolean => !signal.aborted && isUnavailable(error);
      try {
        return await rejectOnAbort(guards.run(slug, call, { ...limits, isOutage }), end);
      } catch (error) {
        throw isLate() && !isServiceError(error) ? notInTime(name, error) : error;
      }
    },
    async optional(run) {
      const call = () => run(anySignal(end, start()));
      let release: (() => void) | undefined;
      try {
        release = optionalCalls.take(`${slug} ${customerId}`);
        // A bulkhead of their own: calls that wait for slow contracts never delay required ones.
        return await guards.run(`${slug} tokens`, call, { ...limits, isOutage: () => false });
      } catch (error) {
        if (!isServiceError(error) && !end.aborted) log.error({ err: error, chain: slug }, 'reading tokens failed');
        return undefined;
      } finally {
        release?.();
      }
    },
  };
}

const isUnavailable = (error: unknown): boolean => isServiceError(error) && error.code === 'PROVIDER_UNAVAILABLE';

const notInTime = (provider: string, cause: unknown): ServiceError =>
  serviceError('PROVIDER_UNAVAILABLE', { provider, reason: 'it did not respond in time' }, { cause });
