import { divideUp } from '../../money/divide-up';
import { COST_NOISE, COST_UNIT, costOf, type PositionState } from '../positions/position-state';
import type { StrategyFees } from '../strategy-fees';

/** A position with what it is worth now. */
export interface ValuedPosition {
  readonly state: PositionState;
  /** What a withdrawal of everything would pay, in base units. */
  readonly value: bigint;
}

/** A withdrawal by the assets that it pays, by its shares, or by both, as its preview has them. */
export interface WithdrawnPart {
  readonly assets?: bigint | undefined;
  readonly shares?: bigint | undefined;
}

/** Fees on the gain of a withdrawal, in base units of the underlying asset. */
export interface ProfitFees {
  readonly performance: bigint;
  readonly markup: bigint;
}

/**
 * The fees on the gain of a withdrawal, each rounded down. The costs of `position` are those from which profit is charged.
 * Principal and losses are free.
 */
export const profitFees = (
  withdrawn: WithdrawnPart & { readonly position: ValuedPosition },
  { performanceBps, markupBps }: Pick<StrategyFees, 'performanceBps' | 'markupBps'>,
): ProfitFees => ({
  performance: feeOnWithdrawal({ ...withdrawn, bps: performanceBps }),
  markup: feeOnWithdrawal({ ...withdrawn, bps: markupBps }),
});

/**
 * Fee on the gain of a withdrawal, in base units of the underlying asset, rounded down. Principal and losses are free. The
 * gain is the paid assets minus the average cost of the withdrawn shares. Missing assets or shares follow from the value of
 * the position.
 *
 * `bps`: basis points of the gain.
 */
export function feeOnWithdrawal({
  position,
  assets,
  shares,
  bps,
}: WithdrawnPart & { readonly position: ValuedPosition; readonly bps: number | bigint }): bigint {
  const { state, value } = position;
  const part = shares ?? sharesOf(position, assets ?? 0n);
  const paid = assets ?? (state.shares === 0n ? 0n : (value * part) / state.shares);
  const gain = paid * COST_UNIT - costOf(state, part) + COST_NOISE;
  return gain <= 0n ? 0n : (gain * BigInt(bps)) / (10_000n * COST_UNIT);
}

/** Shares that pay `assets`, rounded up as protocols do. */
const sharesOf = ({ state, value }: ValuedPosition, assets: bigint): bigint =>
  value === 0n || assets >= value ? state.shares : divideUp(assets * state.shares, value);
