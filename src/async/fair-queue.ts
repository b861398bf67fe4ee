/** A queue that serves its callers in turns: a caller with many items delays another by one item at most. */
export interface FairQueue<Item> {
  readonly size: number;
  sizeOf(caller: string): number;
  add(caller: string, item: Item): void;
  take(): Item | undefined;
  /** Removes all items, and returns them. */
  clear(): readonly Item[];
}

export function createFairQueue<Item>(): FairQueue<Item> {
  /** Never empty arrays, in the order in which the callers are served. */
  const byCaller = new Map<string, Item[]>();
  let size = 0;
  return {
    get size() {
      return size;
    },
    sizeOf: (caller) => byCaller.get(caller)?.length ?? 0,
    add(caller, item) {
      const items = byCaller.get(caller);
      if (items === undefined) byCaller.set(caller, [item]);
      else items.push(item);
      size += 1;
    },
    take() {
      const [next] = byCaller;
      if (next === undefined) return undefined;
      const [caller, items] = next;
      const item = items.shift();
      byCaller.delete(caller);
      if (items.length > 0) byCaller.set(caller, items);
      size -= 1;
      return item;
    },
    clear() {
      const items = [...byCaller.values()].flat();
      byCaller.clear();
      size = 0;
      return items;
    },
  };
}
