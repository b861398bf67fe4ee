import { STALE_AFTER_SECONDS } from '../../rpc/chain-health';

/** How old the balances of a chain are. */
export interface BalanceAge {
  /** True for the last known balances of an unavailable chain, and for those of a node whose newest block is old. */
  readonly isStale: boolean;
  /** Seconds since the block of the balances, and at least since they were read. */
  readonly ageSeconds: number;
}

interface DatedBalances {
  /** Time of their block. */
  readonly blockTime: Date;
  /** When they were read, in milliseconds since 1970. */
  readonly readAt: number;
  /** True when the chain responded to this request. */
  readonly isAvailable: boolean;
}

/**
 * A node that stands still responds as ever, with the balances of its newest block: only the age of the block shows it. The
 * bound is that of the health of chains.
 */
export function balanceAge({ blockTime, readAt, isAvailable }: DatedBalances, now: number): BalanceAge {
  const since = (time: number): number => Math.max(0, Math.floor((now - time) / 1000));
  const ageSeconds = Math.max(since(blockTime.getTime()), since(readAt));
  return { isStale: !isAvailable || ageSeconds > STALE_AFTER_SECONDS, ageSeconds };
}
