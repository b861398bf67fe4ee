import type { PositionDeps } from './position-deps';
import { isFull, type PositionTotal } from './position-entry';
import { noteMismatch, type PositionOwner, resetPositions } from './position-store';
import { applyMovement, type PositionState } from './position-state';
import type { WalkedPosition } from './walk-positions';

/**
 * Why the cost of a position is not certain:
 *
 * - `HISTORY_INCOMPLETE`: not all blocks were read yet.
 * - `HISTORY_TOO_LONG`: the position has more changes than are read.
 * - `HISTORY_UNVALUED`: the node lacks the state of the block of a transfer, and with it the worth of the transfer.
 * - `HISTORY_CONTRADICTED`: the sum of the changes differs from the wallet's shares on the chain.
 */
export const HISTORY_PROBLEMS = [
  'HISTORY_INCOMPLETE',
  'HISTORY_TOO_LONG',
  'HISTORY_UNVALUED',
  'HISTORY_CONTRADICTED',
] as const;
export type HistoryProblem = (typeof HISTORY_PROBLEMS)[number];

export type CheckedHistory = { readonly state: PositionState } | { readonly problem: HistoryProblem };

/** A node that lags behind contradicts for seconds: after this time logs are missing, and all are read again. */
const RESET_AFTER_MS = 600_000;
/** Reading everything again does not help against logs that no node has: it is done once in this time. */
const RESET_EVERY_MS = 24 * 3_600_000;

/**
 * Compares the changes of a position with the wallet's shares on the chain: a wrong profit is never shown as right. Each change
 * may differ by one unit, since versions of a protocol round differently; the shares of the chain stand then.
 */
export async function checkHistory(
  deps: Pick<PositionDeps, 'database' | 'maxEntries'>,
  {
    owner,
    walked,
    shares,
  }: { readonly owner: PositionOwner; readonly walked: WalkedPosition; readonly shares: bigint },
): Promise<CheckedHistory> {
  const { total, stored, isComplete } = walked;
  if (isFull(total, deps.maxEntries)) return { problem: 'HISTORY_TOO_LONG' };
  if (!isComplete) return { problem: 'HISTORY_INCOMPLETE' };
  if (total.unvalued > 0) return { problem: 'HISTORY_UNVALUED' };
  const state = withShares(total, shares);
  const { strategyId, mismatchedAt, resetAt } = stored;
  if (state !== undefined) {
    if (mismatchedAt !== undefined) await noteMismatch(deps.database, owner, { strategyId, since: undefined });
    return { state };
  }
  if (mismatchedAt === undefined) await noteMismatch(deps.database, owner, { strategyId, since: new Date() });
  else if (isOlder(mismatchedAt, RESET_AFTER_MS) && (resetAt === undefined || isOlder(resetAt, RESET_EVERY_MS))) {
    await resetPositions(deps.database, owner, { strategyIds: [strategyId] });
  }
  return { problem: 'HISTORY_CONTRADICTED' };
}

const isOlder = (time: Date, ms: number): boolean => Date.now() - time.getTime() > ms;

/** The state with the shares of the chain; `undefined` when they differ by more than rounding. */
function withShares({ state, entries }: PositionTotal, shares: bigint): PositionState | undefined {
  const difference = state.shares - shares;
  const tolerance = BigInt(entries);
  if (difference > tolerance || -difference > tolerance) return undefined;
  if (difference === 0n) return state;
  // Without shares nothing is left of the cost either.
  if (shares === 0n) return applyMovement(state, { kind: 'withdrawal', shares: state.shares, assets: 0n });
  return { ...state, shares };
}
