import { feeOnWithdrawal, type ValuedPosition, type WithdrawnPart } from '../positions/position-state';
import type { StrategyFees } from '../strategy-fees';

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
