import { isServiceError, serviceError } from '../errors/service-error';
import { upstreamErrorOf } from '../http/upstream-error';
import type { RampId, RampProvider } from '../ramps/ramp-provider';
import type { ProviderGuards } from './provider-guards';

/**
 * Ramps whose look-ups of Pix keys, which come before a quote is asked for, are guarded as quotes are: one that is left alone
 * is not asked about keys either. That the directory behind a ramp is broken says nothing of the ramp: only that it could not
 * be reached, or did not answer in time, counts. What moves money is never guarded: a ticket is opened and followed whatever
 * became of the questions before.
 */
export const withGuardedLookUps = (
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
          isOutage: (error) => !isAbandoned(signal) && wasNotHeard(error),
        });
      } catch (cause) {
        // The guards' own: the ramp was not asked.
        const isBlocked = isServiceError(cause) && cause.code === 'PROVIDER_UNAVAILABLE';
        throw isBlocked ? serviceError('PIX_KEY_LOOKUP_FAILED', {}, { cause }) : cause;
      }
    },
  };
}

/** True when the caller has gone, and the ramp has not had all of its time. */
const isAbandoned = (signal: AbortSignal): boolean =>
  signal.aborted && (signal.reason as { readonly name?: unknown } | undefined)?.name !== 'TimeoutError';

function wasNotHeard(error: Error): boolean {
  const kind = upstreamErrorOf(error)?.kind;
  return kind === 'timeout' || kind === 'unreachable';
}
