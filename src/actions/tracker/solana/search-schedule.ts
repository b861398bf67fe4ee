import { LRUCache } from 'lru-cache';
import { atMostEntries } from '../../../async/cache-size';

/** A reference of a live action to search for. */
export interface SearchItem {
  readonly key: string;
  readonly customerId: string;
  readonly createdAt: Date;
}

/**
 * When each reference of a live action was last searched for, and which transactions do not execute it.
 *
 * An issued transaction is valid for a minute, so a new reference is searched for in every pass. A caller that composes
 * its own transaction may send it at any time until the action expires, so the cooldown of a reference grows with its age.
 * Kept in memory: a replica that takes over a chain searches for every reference once.
 */
export interface SearchSchedule {
  /**
   * The items that are due at `now`, the most overdue first. When more are due than one pass searches for, the customers
   * take turns.
   */
  due<Item extends SearchItem>(items: readonly Item[], now: Date): readonly Item[];
  markSearched(items: readonly SearchItem[], at: Date): void;
  /** The oldest of the last searches for the items; `undefined` while one of them was never searched for. */
  coveredUntil(items: readonly SearchItem[]): Date | undefined;
  reject(key: string, signature: string): void;
  isRejected(key: string, signature: string): boolean;
}

/** References that one pass searches for. Those of failed actions have places of their own, see `late-references.ts`. */
const MAX_SEARCHES_PER_PASS = 225;
/** The cooldown of a reference is its age divided by this… */
export const COOLDOWN_DIVISOR = 20;
/** …up to this. */
export const MAX_COOLDOWN_MS = 600_000;
const MAX_REJECTIONS = 10_000;

export function createSearchSchedule(): SearchSchedule {
  let lastSearches = new Map<string, Date>();
  const rejections = new LRUCache<string, true>(atMostEntries(MAX_REJECTIONS));
  const overdueMs = ({ key, createdAt }: SearchItem, now: Date): number => {
    const last = lastSearches.get(key);
    if (last === undefined) return Number.POSITIVE_INFINITY;
    const cooldown = Math.min(MAX_COOLDOWN_MS, (last.getTime() - createdAt.getTime()) / COOLDOWN_DIVISOR);
    return now.getTime() - last.getTime() - cooldown;
  };
  return {
    due(items, now) {
      // References that are no longer open are dropped.
      const kept = new Map<string, Date>();
      for (const { key } of items) {
        const last = lastSearches.get(key);
        if (last !== undefined) kept.set(key, last);
      }
      lastSearches = kept;
      const waiting = items.map((item) => ({ item, overdue: overdueMs(item, now) }));
      return waiting
        .filter(({ overdue }) => overdue >= 0)
        .sort((a, b) => (a.overdue === b.overdue ? 0 : b.overdue - a.overdue))
        .map(inTurn())
        .sort((a, b) => a.turn - b.turn)
        .slice(0, MAX_SEARCHES_PER_PASS)
        .map(({ item }) => item);
    },
    markSearched(items, at) {
      for (const { key } of items) lastSearches.set(key, at);
    },
    coveredUntil(items) {
      const searches = items.map(({ key }) => lastSearches.get(key)?.getTime());
      const times = searches.filter((time) => time !== undefined);
      return times.length < searches.length || times.length === 0 ? undefined : new Date(Math.min(...times));
    },
    reject: (key, signature) => void rejections.set(`${key} ${signature}`, true),
    isRejected: (key, signature) => rejections.has(`${key} ${signature}`),
  };
}

/** Numbers the items of each customer, so that one with many items delays no other. */
function inTurn<Item extends SearchItem>(): (waiting: { readonly item: Item }) => { item: Item; turn: number } {
  const turns = new Map<string, number>();
  return ({ item }) => {
    const turn = (turns.get(item.customerId) ?? 0) + 1;
    turns.set(item.customerId, turn);
    return { item, turn };
  };
}
