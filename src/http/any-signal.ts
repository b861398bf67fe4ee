/** What a signal was made of, for as long as it is in use. */
const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>();

/**
 * A signal that aborts with the first of these. Unlike that of `AbortSignal.any`, on which alone a timeout hangs by a weak
 * reference and never comes once it was collected as garbage, it keeps what it was made of.
 *
 * @see https://github.com/nodejs/node/issues/57736
 */
export function anySignal(...signals: readonly AbortSignal[]): AbortSignal {
  const first = AbortSignal.any([...signals]);
  sources.set(first, signals);
  return first;
}
