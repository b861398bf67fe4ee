import { LRUCache } from 'lru-cache';

/** Something that is looked for, by the name under which it is remembered. */
export interface Sought {
  readonly key: string;
  readonly createdAt: Date;
}

/**
 * When each open reference was looked for last, and which transactions are known not to execute it.
 *
 * A transaction lives for a minute after it was handed out, so a young reference is looked for in every pass; one that
 * its caller composes anew may come any time until the action expires, so an old one is looked for ever more seldom.
 * Kept in memory: a replica that takes a chain over looks at everything once.
 */
export interface LookBook {
  /** Those that are due at `now`, the most overdue first. */
  due<Item extends Sought>(sought: readonly Item[], now: Date): readonly Item[];
  looked(sought: readonly Sought[], at: Date): void;
  /** The moment up to which all of them were looked for; `undefined` while one of them was not. */
  coveredUntil(sought: readonly Sought[]): Date | undefined;
  reject(key: string, signature: string): void;
  isRejected(key: string, signature: string): boolean;
}

/** References that one pass looks for at most. */
const LOOKS_A_PASS = 250;
/** A reference is left alone for this part of its age… */
const AGE_SHARE = 20;
/** …and for this long at most. */
const LONGEST_REST_MS = 600_000;
const REJECTIONS = 10_000;

export function createLookBook(): LookBook {
  let lastLooks = new Map<string, Date>();
  const rejections = new LRUCache<string, true>({ max: REJECTIONS });
  const overdueMs = ({ key, createdAt }: Sought, now: Date): number => {
    const last = lastLooks.get(key);
    if (last === undefined) return Number.POSITIVE_INFINITY;
    const rest = Math.min(LONGEST_REST_MS, (last.getTime() - createdAt.getTime()) / AGE_SHARE);
    return now.getTime() - last.getTime() - rest;
  };
  return {
    due(sought, now) {
      // What is no longer sought is forgotten.
      const known = new Map<string, Date>();
      for (const { key } of sought) {
        const last = lastLooks.get(key);
        if (last !== undefined) known.set(key, last);
      }
      lastLooks = known;
      const waiting = sought.map((item) => ({ item, overdue: overdueMs(item, now) }));
      return waiting
        .filter(({ overdue }) => overdue >= 0)
        .sort((a, b) => (a.overdue === b.overdue ? 0 : b.overdue - a.overdue))
        .slice(0, LOOKS_A_PASS)
        .map(({ item }) => item);
    },
    looked(sought, at) {
      for (const { key } of sought) lastLooks.set(key, at);
    },
    coveredUntil(sought) {
      const looks = sought.map(({ key }) => lastLooks.get(key)?.getTime());
      const times = looks.filter((time) => time !== undefined);
      return times.length < looks.length || times.length === 0 ? undefined : new Date(Math.min(...times));
    },
    reject: (key, signature) => void rejections.set(`${key} ${signature}`, true),
    isRejected: (key, signature) => rejections.has(`${key} ${signature}`),
  };
}
