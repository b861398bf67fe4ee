/**
 * The items of a stream, each changed. Unlike a generator it passes `return` on at once, also while it waits: a source
 * that can be told to stop need not wait for its next item.
 */
export function mapStream<Item, Mapped>(
  source: AsyncIterable<Item>,
  map: (item: Item) => Mapped | Promise<Mapped>,
): AsyncIterable<Mapped> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = source[Symbol.asyncIterator]();
      return {
        async next() {
          const result = await iterator.next();
          return result.done === true
            ? { done: true, value: undefined }
            : { done: false, value: await map(result.value) };
        },
        async return() {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
