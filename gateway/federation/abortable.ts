/** The items of a stream until it ends or the signal aborts, whichever is first; then the stream is closed. */
export async function* abortable<Item>(source: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  const iterator = source[Symbol.asyncIterator]();
  let stopWaiting = (): void => undefined;
  const onAbort = (): void => stopWaiting();
  // One promise an item: racing each item against one lasting promise would keep them all in memory.
  const nextItem = (): Promise<IteratorResult<Item> | undefined> =>
    new Promise((resolve, reject) => {
      stopWaiting = () => resolve(undefined);
      if (signal.aborted) stopWaiting();
      else iterator.next().then(resolve, reject);
    });
  signal.addEventListener('abort', onAbort);
  try {
    for (let item = await nextItem(); item !== undefined && item.done !== true; item = await nextItem())
      yield item.value;
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a source that waits for its next item would answer only after it.
    iterator.return?.().catch(() => undefined);
  }
}
