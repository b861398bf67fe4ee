import { RAY } from '../../money/ray';
import { addEntries, type PositionEntry, type PositionTotal } from '../positions/position-entry';
import {
  NO_POSITION,
  payFromPosition,
  type PositionState,
  type ProfitPayment,
  raiseCost,
} from '../positions/position-state';
import type { FeeMark } from '../strategy-fees';

const NOTHING: PositionTotal = { state: NO_POSITION, entries: 0, unvalued: 0 };

/** Profit that was charged by a collection. */
export interface ChargedProfit extends ProfitPayment {
  readonly blockNumber: bigint;
  readonly txHash: string;
}

/**
 * The position with the cost from which profit is charged. At each mark, what the shares were worth counts as their cost when it
 * is more than they cost: profit until then is free, and a loss until then has to be made up for first. A later mark replaces no
 * earlier one, since the price may have been higher then. Profit that was charged by a collection counts as cost.
 *
 * `entries`: all of the position, in the order of the chain, as the marks; each with shares and assets.
 */
export function feeBasis(
  entries: readonly PositionEntry[],
  marks: readonly (FeeMark | ChargedProfit)[],
): PositionState {
  let [total, next] = [NOTHING, 0];
  for (const mark of marks) {
    const end = Math.max(next, endOf(entries, mark));
    const { state, ...counts } = addEntries(total, entries.slice(next, end));
    total = { ...counts, state: markState(state, mark) };
    next = end;
  }
  return addEntries(total, entries.slice(next)).state;
}

const markState = (state: PositionState, mark: FeeMark | ChargedProfit): PositionState =>
  'profit' in mark ? payFromPosition(state, mark) : raiseCost(state, (state.shares * mark.sharePriceRay) / RAY);

/** Number of entries before a mark: until the end of the transaction of a collection, otherwise of the block. */
function endOf(entries: readonly PositionEntry[], mark: FeeMark | ChargedProfit): number {
  const own = 'profit' in mark ? entries.findLastIndex(({ txHash }) => txHash === mark.txHash) : -1;
  if (own !== -1) return own + 1;
  const firstLater = entries.findIndex(({ blockNumber }) => blockNumber > mark.blockNumber);
  return firstLater === -1 ? entries.length : firstLater;
}
