import { isServiceError, serviceError } from '../errors/service-error';
import { upstreamErrorOf } from '../http/upstream-error';
import type { RampId, RampProvider } from '../ramps/ramp-provider';
import type { ProviderGuards } from './provider-guards';

export interface PixKeyLookupGuards {
  readonly guards: ProviderGuards;
  /** Maximum time for one quote of a ramp, in milliseconds. As in a quote, a lookup spends at most half of it in the queue. */
  readonly budgetMs: number;
}

/**
 * Ramps whose Pix key lookups share the guards of their quote requests: while the breaker of a ramp is open, its keys are not
 * looked up either. Only an unreachable ramp or a timeout counts as an outage: an error of the Pix directory behind the ramp
 * does not. Calls that move money are never guarded: tickets are opened and polled in any case.
 */
export const withGuardedPixKeyLookups = (
  ramps: Readonly<Record<RampId, RampProvider>>,
  options: PixKeyLookupGuards,
): Readonly<Record<RampId, RampProvider>> => ({
  primary: guarded(ramps.primary, options),
  secondary: guarded(ramps.secondary, options),
});

function guarded(ramp: RampProvider, { guards, budgetMs }: PixKeyLookupGuards): RampProvider {
  const lookUpPixKey = ramp.lookUpPixKey?.bind(ramp);
  if (lookUpPixKey === undefined) return ramp;
  return {
    ...ramp,
    async lookUpPixKey(pixKey, signal) {
      try {
        await guards.run(ramp.id, () => lookUpPixKey(pixKey, signal), {
          signal,
          maxQueueMs: budgetMs / 2,
          isOutage: (error) => !isAbandoned(signal) && isUnreachable(error),
        });
      } catch (cause) {
        // The guards refuse a call, or end one that waits in the queue, with errors of their own.
        if (isLookupError(cause) || isAbandoned(signal)) throw cause;
        throw serviceError('PIX_KEY_LOOKUP_FAILED', {}, { cause });
      }
    },
  };
}

/** True for the errors of `RampProvider.lookUpPixKey`. */
const isLookupError = (error: unknown): boolean =>
  isServiceError(error) && (error.code === 'INVALID_PIX_KEY' || error.code === 'PIX_KEY_LOOKUP_FAILED');

/** True when the caller left before the ramp's time was over. */
const isAbandoned = (signal: AbortSignal): boolean =>
  signal.aborted && (signal.reason as { readonly name?: unknown } | undefined)?.name !== 'TimeoutError';

function isUnreachable(error: Error): boolean {
  const kind = upstreamErrorOf(error)?.kind;
  return kind === 'timeout' || kind === 'unreachable';
}
