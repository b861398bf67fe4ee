/**
 * Maps the items of a stream. Unlike a generator it forwards `return` immediately, also while it waits, so that a source can
 * stop before its next item.
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
