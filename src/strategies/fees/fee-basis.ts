import { RAY } from '../../money/ray';
import { addEntries, type PositionEntry, type PositionTotal } from '../positions/position-entry';
import { chargeProfit, NO_POSITION, type PositionState, raiseCost } from '../positions/position-state';
import type { FeeMark } from '../strategy-fees';

const NOTHING: PositionTotal = { state: NO_POSITION, entries: 0, unvalued: 0 };

/** Profit that was charged by a collection in a block. */
export interface ChargedProfit {
  readonly blockNumber: bigint;
  /** Shares that it took. */
  readonly sharesTaken: bigint;
  /** The profit whose fee they were, in 10^-18 base units. */
  readonly profit: bigint;
}

/**
 * The position with the cost from which profit is charged. At each mark, what the shares were worth counts as their cost when it
 * is more than they cost: profit until then is free, and a loss until then has to be made up for first. A later mark replaces no
 * earlier one, since the price may have been higher then. Profit that was charged by a collection counts as cost.
 *
 * `entries`: all of the position, in the order of the chain, as the marks; each with shares and assets.
 */
export function feeBasis(entries: readonly PositionEntry[], marks: readonly (FeeMark | ChargedProfit)[]): PositionState {
  let [total, next] = [NOTHING, 0];
  for (const mark of marks) {
    const firstLater = entries.findIndex((entry) => entry.blockNumber > mark.blockNumber);
    const end = firstLater === -1 ? entries.length : firstLater;
    const { state, ...counts } = addEntries(total, entries.slice(next, end));
    total = { ...counts, state: markState(state, mark) };
    next = end;
  }
  return addEntries(total, entries.slice(next)).state;
}

const markState = (state: PositionState, mark: FeeMark | ChargedProfit): PositionState =>
  'profit' in mark ? chargeProfit(state, mark) : raiseCost(state, (state.shares * mark.sharePriceRay) / RAY);
