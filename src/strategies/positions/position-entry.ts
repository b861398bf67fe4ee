import type { Hex } from 'viem';
import type { PositionChangeKind } from '../protocols/protocol';
import { applyMovement, type PositionState } from './position-state';

/** A change of a wallet's deposit in a strategy, with the time of its block. */
export interface PositionEntry {
  readonly kind: PositionChangeKind;
  /** `undefined` when the node lacks the state of the block, as `assets`. */
  readonly shares: bigint | undefined;
  readonly assets: bigint | undefined;
  /** Assets per share as a ray. */
  readonly sharePriceRay: bigint | undefined;
  readonly txHash: Hex;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  readonly logIndex: number;
  readonly at: Date;
}

/** Sum of the entries up to a block. */
export interface PositionTotal {
  readonly state: PositionState;
  readonly entries: number;
  /** Entries whose worth is unknown: the state lacks them. */
  readonly unvalued: number;
}

/** Entries of one position after which its history is not read on: any account can send dust to a wallet. */
const MAX_ENTRIES = 20_000;

export const isFull = ({ entries }: PositionTotal, maximum = MAX_ENTRIES): boolean => entries >= maximum;

export const addEntries = (total: PositionTotal, entries: readonly PositionEntry[]): PositionTotal =>
  entries.reduce(addEntry, total);

function addEntry({ state, entries, unvalued }: PositionTotal, { kind, shares, assets }: PositionEntry): PositionTotal {
  if (shares === undefined || assets === undefined) return { state, entries: entries + 1, unvalued: unvalued + 1 };
  return { state: applyMovement(state, { kind, shares, assets }), entries: entries + 1, unvalued };
}
