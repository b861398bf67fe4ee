/**
 * Options of an `LRUCache` for at most so many entries. It takes memory as it fills: with `max`, lru-cache takes all of it at
 * once, which costs 20 ms for 50,000 entries at each start.
 */
export const atMostEntries = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
