/** Fees that the deployment charges on strategies, in basis points. */
export interface StrategyFees {
  /** Share of a deposit. */
  readonly entryBps: number;
  /** Share of the profit at a withdrawal. */
  readonly performanceBps: number;
  /** Share of the same profit, on top of the performance fee. */
  readonly markupBps: number;
  /** Wallet on every EVM chain that receives the fees; `undefined` when there are none. */
  readonly collector: string | undefined;
}

const WHOLE_BPS = 10_000n;

/** The entry fee of a deposit in base units, rounded down. */
export const entryFeeOf = (assets: bigint, { entryBps }: Pick<StrategyFees, 'entryBps'>): bigint =>
  (assets * BigInt(entryBps)) / WHOLE_BPS;
