import { addEntries, type PositionEntry, type PositionTotal } from '../positions/position-entry';
import { NO_POSITION, type PositionState, raiseCost } from '../positions/position-state';
import type { FeeMark } from '../strategy-fees';

const RAY = 10n ** 27n;
const NOTHING: PositionTotal = { state: NO_POSITION, entries: 0, unvalued: 0 };

/**
 * The position with the cost from which profit is charged: what the shares were worth at the mark counts as their cost when it
 * is more than they cost, so that profit until then is free, and a loss until then has to be made up for first.
 *
 * `entries`: all of the position, in the order of the chain, each with shares and assets.
 */
export function feeBasis(entries: readonly PositionEntry[], mark: FeeMark): PositionState {
  const firstLater = entries.findIndex(({ blockNumber }) => blockNumber > mark.blockNumber);
  const split = firstLater === -1 ? entries.length : firstLater;
  const before = addEntries(NOTHING, entries.slice(0, split));
  const worth = (before.state.shares * mark.sharePriceRay) / RAY;
  const marked = { ...before, state: raiseCost(before.state, worth) };
  return addEntries(marked, entries.slice(split)).state;
}
