/** Fees that the deployment charges on strategies, in basis points. */
export interface StrategyFees {
  /** Of the amount of a deposit. */
  readonly entryBps: number;
  /** Of the profit of a withdrawal. */
  readonly performanceBps: number;
  /** Of the profit of a withdrawal, on top of the performance fee. */
  readonly markupBps: number;
  /** Wallet on every EVM chain that receives the fees; `undefined` when there are none. */
  readonly collector: string | undefined;
}

const WHOLE_BPS = 10_000n;

/** The entry fee of a deposit in base units, rounded down. */
export const entryFeeOf = (assets: bigint, { entryBps }: Pick<StrategyFees, 'entryBps'>): bigint =>
  (assets * BigInt(entryBps)) / WHOLE_BPS;
