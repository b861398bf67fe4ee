/** Fees on a strategy, in basis points: those of the deployment, or those that a customer set in their place. */
export interface StrategyFees {
  /** Share of a deposit. */
  readonly entryBps: number;
  /** Share of the profit at a withdrawal. */
  readonly performanceBps: number;
  /** Share of the same profit, on top of the performance fee. */
  readonly markupBps: number;
  /** Wallet that receives the fees; `undefined` when there are none. */
  readonly collector: string | undefined;
  /** Wallet that receives the markup; the collector when `undefined`. */
  readonly markupRecipient?: string | undefined;
  /** When fees on profit became higher, in the order of the chain: profit until the last time is free. All counts without any. */
  readonly marks: readonly FeeMark[];
}

/** The state of a strategy after a block, from which profit counts. */
export interface FeeMark {
  readonly blockNumber: bigint;
  /** Assets per share as a ray. */
  readonly sharePriceRay: bigint;
}

const WHOLE_BPS = 10_000n;

/** The fee on a deposit, and those on profit together, are less than the whole. */
export const MAX_FEE_BPS = 9999;

/** The entry fee of a deposit in base units, rounded down. */
export const entryFeeOf = (assets: bigint, { entryBps }: Pick<StrategyFees, 'entryBps'>): bigint =>
  (assets * BigInt(entryBps)) / WHOLE_BPS;

/** Basis points of the profit that a withdrawal costs. */
export const profitBpsOf = ({
  performanceBps,
  markupBps,
}: Pick<StrategyFees, 'performanceBps' | 'markupBps'>): number => performanceBps + markupBps;
