import type { BlockHead } from '../../rpc/block-reads/block-head';
import type { Strategy } from '../strategy';
import type { RowReading, RowsReading } from './resolve-rows';

/** State of a row after all readings. */
export type RowState =
  /** `refusals`: number of readings in a row, up to the last one, that refused it. */
  | { readonly kind: 'resolved'; readonly strategy: Strategy; readonly refusals: number; readonly reason?: string }
  | Refused
  | { readonly kind: 'unread' };

export interface Refused {
  readonly kind: 'refused';
  readonly reason: string;
  readonly refusals: number;
  /** Wallets may have positions in it, which would be missing without a word. */
  readonly wasResolved: boolean;
}

/** A node that lags behind, or is broken, also reports that a contract does not exist. */
const CONFIRMING_READINGS = 3;
/** A chain that has no newer block has stopped, or its node is behind. */
const MAX_BLOCK_AGE_SECONDS = 3600n;

/** Whether the row was never seen as a strategy of its chain, in several readings. */
export const isCertain = ({ refusals, wasResolved }: Refused): boolean =>
  !wasResolved && refusals >= CONFIRMING_READINGS;

/** Whether the next reading decides about the row. */
export const isInDoubt = (state: RowState): boolean =>
  state.kind !== 'unread' && state.refusals > 0 && state.refusals < CONFIRMING_READINGS;

/**
 * The states after a reading. A row that cannot be read keeps its state, and so does a strategy until several readings in a row
 * have refused it. An old block proves nothing against a strategy.
 */
export function nextStates(
  before: readonly RowState[],
  reading: RowsReading,
  newest: bigint | undefined,
): readonly RowState[] {
  const isOld = reading.block !== undefined && isOldBlock(reading.block, newest);
  return reading.rows.map((row, index) => nextState(before[index] ?? { kind: 'unread' }, row, isOld));
}

const isOldBlock = ({ number, timestamp }: BlockHead, newest: bigint | undefined): boolean =>
  (newest !== undefined && number < newest) ||
  timestamp + MAX_BLOCK_AGE_SECONDS < BigInt(Math.floor(Date.now() / 1000));

function nextState(before: RowState, row: RowReading, isOld: boolean): RowState {
  if (row.kind === 'unread') return before;
  if (row.kind === 'resolved') return { ...row, refusals: 0 };
  const refusals = (before.kind === 'unread' ? 0 : before.refusals) + (isOld ? 0 : 1);
  const { reason } = row;
  if (before.kind === 'resolved' && refusals < CONFIRMING_READINGS) return { ...before, refusals, reason };
  const wasResolved = before.kind === 'resolved' || (before.kind === 'refused' && before.wasResolved);
  return { kind: 'refused', reason, refusals, wasResolved };
}
