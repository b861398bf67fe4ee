import type { Chain } from '../../chains/chain';
import type { Strategy } from '../strategy';
import type { PositionOwner } from './position-store';

export interface WalkRequest {
  readonly owner: PositionOwner;
  readonly chain: Chain;
  readonly strategies: readonly Strategy[];
  /** Last block to read. */
  readonly head: bigint;
  readonly maxRanges: number;
  /** Time for reading, in milliseconds. What was read is stored within a second more. */
  readonly readMs: number;
  readonly signal: AbortSignal;
}

/** A walk with its time limits. */
export interface Walk extends WalkRequest {
  readonly reading: AbortSignal;
  readonly storing: AbortSignal;
}
