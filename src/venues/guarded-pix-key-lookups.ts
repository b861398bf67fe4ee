import { isServiceError, serviceError } from '../errors/service-error';
import { upstreamErrorOf } from '../http/upstream-error';
import type { RampId, RampProvider } from '../ramps/ramp-provider';
import type { ProviderGuards } from './provider-guards';

/**
 * Ramps whose Pix key lookups share the guards of their quote requests: while the breaker of a ramp is open, its keys are not
 * looked up either. Only an unreachable ramp or a timeout counts as an outage: an error of the Pix directory behind the ramp
 * does not. Calls that move money are never guarded: tickets are opened and polled in any case.
 */
export const withGuardedPixKeyLookups = (
  ramps: Readonly<Record<RampId, RampProvider>>,
  guards: ProviderGuards,
): Readonly<Record<RampId, RampProvider>> => ({
  primary: guarded(ramps.primary, guards),
  secondary: guarded(ramps.secondary, guards),
});

function guarded(ramp: RampProvider, guards: ProviderGuards): RampProvider {
  const lookUpPixKey = ramp.lookUpPixKey?.bind(ramp);
  if (lookUpPixKey === undefined) return ramp;
  return {
    ...ramp,
    async lookUpPixKey(pixKey, signal) {
      try {
        await guards.run(ramp.id, () => lookUpPixKey(pixKey, signal), {
          signal,
          isOutage: (error) => !isAbandoned(signal) && isUnreachable(error),
        });
      } catch (cause) {
        // Thrown by the guards: the ramp was not called.
        const isBlocked = isServiceError(cause) && cause.code === 'PROVIDER_UNAVAILABLE';
        throw isBlocked ? serviceError('PIX_KEY_LOOKUP_FAILED', {}, { cause }) : cause;
      }
    },
  };
}

/** True when the caller left before the ramp's time was over. */
const isAbandoned = (signal: AbortSignal): boolean =>
  signal.aborted && (signal.reason as { readonly name?: unknown } | undefined)?.name !== 'TimeoutError';

function isUnreachable(error: Error): boolean {
  const kind = upstreamErrorOf(error)?.kind;
  return kind === 'timeout' || kind === 'unreachable';
}
