/** A queue that serves its callers in turns: a caller with many items delays another by one item at most. */
export interface FairQueue<Item> {
  readonly size: number;
  sizeOf(caller: string): number;
  /** Number of waiting items that are taken before the next item of the caller. */
  aheadOf(caller: string): number;
  add(caller: string, item: Item): void;
  /** Returns the next item without removing it. */
  peek(): Item | undefined;
  take(): Item | undefined;
  /** Removes an item, when it is still in the queue. */
  remove(caller: string, item: Item): void;
  /** Removes the newest item of the caller with the most items, and returns it; nothing when no caller has more than `size`. */
  takeNewestAbove(size: number): Item | undefined;
  /** Removes all items, and returns them. */
  clear(): readonly Item[];
}

export function createFairQueue<Item>(): FairQueue<Item> {
  /** Never empty arrays, in the order in which the callers are served. */
  const byCaller = new Map<string, Item[]>();
  let size = 0;
  const removeAt = (caller: string, position: number): Item | undefined => {
    const items = byCaller.get(caller) ?? [];
    const [item] = items.splice(position, 1);
    if (items.length === 0) byCaller.delete(caller);
    size -= 1;
    return item;
  };
  return {
    get size() {
      return size;
    },
    sizeOf: (caller) => byCaller.get(caller)?.length ?? 0,
    aheadOf(caller) {
      const own = byCaller.get(caller)?.length ?? 0;
      let ahead = own;
      for (const [other, { length }] of byCaller) if (other !== caller) ahead += Math.min(length, own + 1);
      return ahead;
    },
    add(caller, item) {
      const items = byCaller.get(caller);
      if (items === undefined) byCaller.set(caller, [item]);
      else items.push(item);
      size += 1;
    },
    peek: () => byCaller.values().next().value?.[0],
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
    remove(caller, item) {
      const position = byCaller.get(caller)?.indexOf(item) ?? -1;
      if (position >= 0) removeAt(caller, position);
    },
    takeNewestAbove(above) {
      let largest: { readonly caller: string; readonly length: number } | undefined;
      for (const [caller, { length }] of byCaller) {
        if (length > (largest?.length ?? above)) largest = { caller, length };
      }
      return largest === undefined ? undefined : removeAt(largest.caller, largest.length - 1);
    },
    clear() {
      const items = [...byCaller.values()].flat();
      byCaller.clear();
      size = 0;
      return items;
    },
  };
}
