import { isServiceError, serviceError } from '../../errors/service-error';
import { looksLikeBrCode, parseBrCode } from '../../ramps/br-code';
import { parsePixKey } from '../../ramps/pix-key';
import type { RampProvider } from '../../ramps/ramp-provider';

/**
 * A Pix key as the directory holds it, or a BR Code without the spaces around it. The key that a code names has to be one.
 *
 * @throws INVALID_PIX_KEY, INVALID_PIX_BRCODE_FORMAT
 */
export function readPixKey(given: string): string {
  const text = given.trim();
  const isCode = looksLikeBrCode(text);
  const named = isCode ? parseBrCode(text).pixKey : text;
  const key = named === undefined ? undefined : parsePixKey(named)?.key;
  if (named !== undefined && key === undefined) throw serviceError('INVALID_PIX_KEY');
  return isCode ? text : (key ?? '');
}

export interface PixKeyCheck {
  readonly ramp: Pick<RampProvider, 'lookUpPixKey'>;
  /** As `readPixKey` gave it. */
  readonly pixKey: string;
  /** True when money is going to be paid there, not only priced. */
  readonly executable: boolean;
}

/**
 * Asks the ramp whether a Pix key exists. A price needs no answer, and a ramp that is broken by its own account stops
 * nobody; what else keeps it from answering does. Of a BR Code the key is asked for that it names; a dynamic one names none.
 *
 * @throws INVALID_PIX_KEY, PIX_KEY_LOOKUP_FAILED
 */
export async function checkPixKey({ ramp, pixKey, executable }: PixKeyCheck, signal: AbortSignal): Promise<void> {
  const key = looksLikeBrCode(pixKey) ? parseBrCode(pixKey).pixKey : pixKey;
  if (key === undefined) return;
  try {
    await ramp.lookUpPixKey?.(key, signal);
  } catch (error) {
    const isFailure = isServiceError(error) && error.code === 'PIX_KEY_LOOKUP_FAILED';
    if (isFailure && (!executable || isServerError(error.details))) return;
    throw error;
  }
}

const isServerError = (details: Readonly<Record<string, unknown>> | undefined): boolean =>
  typeof details?.['upstreamStatus'] === 'number' && details['upstreamStatus'] >= 500;
