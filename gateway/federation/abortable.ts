import { resolveOnAbort } from '../../src/async/race-abort';

/** Yields the items of a stream until it ends or the signal aborts, then closes the stream. */
export async function* abortable<Item>(source: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    while (!signal.aborted) {
      const item = await resolveOnAbort(iterator.next(), signal);
      if (item === undefined || item.done === true) return;
      yield item.value;
    }
  } finally {
    // Not awaited: a source that waits for its next item returns only after it.
    iterator.return?.().catch(() => undefined);
  }
}
