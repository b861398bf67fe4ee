import { serviceError } from '../../errors/service-error';
import { looksLikeBrCode, parseBrCode } from '../../ramps/br-code';
import { parsePixKey } from '../../ramps/pix-key';
import type { RampProvider } from '../../ramps/ramp-provider';
import { lookupFailureOf, type OnUncheckedPixKey } from '../../ramps/unchecked-pix-key';

/**
 * Returns a Pix key in the form of the Pix directory, or a trimmed BR Code whose key, if any, is well-formed.
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
  readonly ramp: Pick<RampProvider, 'id' | 'lookUpPixKey'>;
  /** As returned by `readPixKey`. */
  readonly pixKey: string;
  /** True when the quote is executable, not price-only. */
  readonly executable: boolean;
  /** Called when the key is accepted although its lookup failed. */
  readonly onUncheckedPixKey?: OnUncheckedPixKey | undefined;
}

/**
 * Checks with the ramp that a Pix key exists. A failed lookup never blocks a price-only quote. It blocks an executable
 * quote, unless the ramp itself responded with 5xx. For a BR Code the key in the code is checked; a dynamic code has none.
 *
 * @throws INVALID_PIX_KEY, PIX_KEY_LOOKUP_FAILED
 */
export async function checkPixKey(
  { ramp, pixKey, executable, onUncheckedPixKey }: PixKeyCheck,
  signal: AbortSignal,
): Promise<void> {
  const key = looksLikeBrCode(pixKey) ? parseBrCode(pixKey).pixKey : pixKey;
  if (key === undefined) return;
  try {
    await ramp.lookUpPixKey?.(key, signal);
  } catch (error) {
    const failure = lookupFailureOf(error);
    if (failure === undefined || (executable && failure !== 'serverError')) throw error;
    onUncheckedPixKey?.({ ramp: ramp.id, step: executable ? 'execution' : 'price', failure });
  }
}
