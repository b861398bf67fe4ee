import { addEntries, type PositionEntry, type PositionTotal } from '../positions/position-entry';
import { NO_POSITION, type PositionState, raiseCost } from '../positions/position-state';
import type { FeeMark } from '../strategy-fees';

const RAY = 10n ** 27n;
const NOTHING: PositionTotal = { state: NO_POSITION, entries: 0, unvalued: 0 };

/**
 * The position with the cost from which profit is charged. At each mark, what the shares were worth counts as their cost when it
 * is more than they cost: profit until then is free, and a loss until then has to be made up for first. A later mark replaces no
 * earlier one, since the price may have been higher then.
 *
 * `entries`: all of the position, in the order of the chain, as the marks; each with shares and assets.
 */
export function feeBasis(entries: readonly PositionEntry[], marks: readonly FeeMark[]): PositionState {
  let [total, next] = [NOTHING, 0];
  for (const { blockNumber, sharePriceRay } of marks) {
    const firstLater = entries.findIndex((entry) => entry.blockNumber > blockNumber);
    const end = firstLater === -1 ? entries.length : firstLater;
    const { state, ...counts } = addEntries(total, entries.slice(next, end));
    total = { ...counts, state: raiseCost(state, (state.shares * sharePriceRay) / RAY) };
    next = end;
  }
  return addEntries(total, entries.slice(next)).state;
}
