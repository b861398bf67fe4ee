import type { TokenPosition } from './wallet-tokens';

/** What positions are sorted by. */
export type PositionKey = Pick<TokenPosition, 'id' | 'valueUsd' | 'isNative' | 'isPinned' | 'isListed'>;

/** The most valuable first; then positions without a value: native coins, pinned, listed, other tokens. */
export function comparePositions(one: PositionKey, other: PositionKey): number {
  return compareRanks(rankOf(one), rankOf(other));
}

/** Place of a position in the order: its value (null without one), its kind and its id. */
export type PositionRank = readonly [valueUsd: bigint | null, kind: number, id: string];

export const rankOf = (position: PositionKey): PositionRank => [
  position.valueUsd ?? null,
  kindOf(position),
  position.id,
];

export function compareRanks([value, kind, id]: PositionRank, [otherValue, otherKind, otherId]: PositionRank): number {
  if (value !== otherValue) {
    if (value === null) return 1;
    return otherValue === null || value > otherValue ? -1 : 1;
  }
  if (kind !== otherKind) return kind - otherKind;
  if (id === otherId) return 0;
  return id < otherId ? -1 : 1;
}

function kindOf({ isNative, isPinned, isListed }: PositionKey): number {
  if (isNative) return 0;
  if (isPinned) return 1;
  return isListed ? 2 : 3;
}
