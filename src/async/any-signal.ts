/** What each combined signal was made of. Lives as long as the combined signal. */
const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>();

/**
 * A signal that aborts with the first of the given signals. `AbortSignal.any` refers only weakly to its sources: a timeout
 * without another reference can be garbage-collected and then never fires. This signal keeps its sources alive.
 *
 * @see https://github.com/nodejs/node/issues/57736
 */
export function anySignal(...signals: readonly AbortSignal[]): AbortSignal {
  const combined = AbortSignal.any([...signals]);
  sources.set(combined, signals);
  return combined;
}
