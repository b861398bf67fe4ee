import { createHash } from 'node:crypto';
import { PublicKey } from '@solana/web3.js';

/** Blocks for which a transaction may name a blockhash. */
export const BLOCKHASH_LIFETIME = 150;
/** Slot hashes that programs can look up. */
const REMEMBERED_SLOTS = 512;
/** A chain that is old enough for every program: some compare slots with the one that they were deployed in. */
const FIRST_SLOT = 447_552_000;
/** Slots in which the chain had no leader before it began here: heights and slots must not be mistaken for one another. */
const EMPTY_SLOTS = 22_000_000;

export interface SlotHash {
  readonly slot: number;
  readonly hash: string;
}

/** The time of the chain. It follows the wall clock, so that an idle chain costs nothing, and never goes back. */
export interface SlotClock {
  slot(): number;
  blockHeight(slot: number): number;
  blockhash(slot: number): string;
  /** The slot of a blockhash that a transaction may still name; `undefined` for an older or an unknown one. */
  slotOf(blockhash: string): number | undefined;
  /** Hashes of the slots before this one, the newest first. */
  recentHashes(slot: number): readonly SlotHash[];
  /** Moves the chain ahead of the wall clock. */
  advance(slots: number): void;
  /** Slots skipped so far. */
  skipped(): number;
}

export interface SlotClockOptions {
  /** What the blockhashes are made of. */
  readonly seed: string;
  /** Wall-clock milliseconds of the first slot. */
  readonly genesisMs: number;
  readonly slotMs: number;
  readonly skipped: number;
  /** The newest slot that something happened in. */
  readonly atLeast: number;
}

export function createSlotClock(options: SlotClockOptions): SlotClock {
  let { skipped, atLeast: newest } = options;
  let remembered: SlotHash[] = [];
  const blockhash = (slot: number): string =>
    new PublicKey(createHash('sha256').update(`${options.seed} ${slot}`).digest()).toBase58();
  const slot = (): number => {
    const elapsed = Math.floor((Date.now() - options.genesisMs) / options.slotMs);
    newest = Math.max(newest, FIRST_SLOT + elapsed + skipped);
    return newest;
  };
  const recentHashes = (now: number): readonly SlotHash[] => {
    const known = remembered[0]?.slot ?? 0;
    const oldest = Math.max(known + 1, now - REMEMBERED_SLOTS);
    const added = Array.from({ length: Math.max(0, now - oldest) }, (_, index) => now - 1 - index);
    const fresh = added.map((number) => ({ slot: number, hash: blockhash(number) }));
    remembered = [...fresh, ...remembered].slice(0, REMEMBERED_SLOTS);
    return remembered;
  };
  return {
    slot,
    blockhash,
    recentHashes,
    blockHeight: (number) => number - EMPTY_SLOTS,
    slotOf(hash) {
      const now = slot();
      if (hash === blockhash(now)) return now;
      return recentHashes(now)
        .slice(0, BLOCKHASH_LIFETIME)
        .find((known) => known.hash === hash)?.slot;
    },
    advance(slots) {
      skipped += slots;
    },
    skipped: () => skipped,
  };
}
