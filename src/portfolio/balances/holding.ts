import type { BlockHead } from '../../rpc/block-reads/block-head';

/** Why the balance of a token is missing. */
export const BALANCE_PROBLEMS = ['REVERTED', 'INVALID_DATA', 'NOT_READ', 'QUARANTINED'] as const;
export type BalanceProblem = (typeof BALANCE_PROBLEMS)[number];

/** What a wallet holds of a token on one chain. */
export interface Holding {
  /** Canonical address; NATIVE_TOKEN for the native coin of an EVM chain, the mint of wrapped SOL for SOL. */
  readonly token: string;
  readonly isNative: boolean;
  /** In base units; `undefined` exactly when there is a problem. */
  readonly amount: bigint | undefined;
  readonly problem: BalanceProblem | undefined;
  /** As the chain states them with the balance; `undefined` on EVM chains. */
  readonly decimals: number | undefined;
}

/** Balances of a wallet on one chain. */
export interface WalletHoldings {
  /** The block of all balances. On Solana the earliest slot of the calls: no balance is older. */
  readonly block: BlockHead;
  readonly holdings: readonly Holding[];
  /** True when the wallet has more tokens than one request reads. */
  readonly isTruncated: boolean;
}

/** A wallet to read, with the tokens to read besides the native coin. */
export interface WalletTokenRequest {
  readonly address: string;
  /** Canonical addresses without duplicates, the most important first. */
  readonly tokens: readonly string[];
  /** True when the wallet may hold tokens besides these. Of no concern on Solana, where all are read. */
  readonly isTruncated?: boolean;
}

export const heldAmount = (token: string, amount: bigint, options: Partial<Holding> = {}): Holding => ({
  token,
  isNative: false,
  amount,
  problem: undefined,
  decimals: undefined,
  ...options,
});

export const unreadableHolding = (token: string, problem: BalanceProblem, isNative = false): Holding => ({
  token,
  isNative,
  amount: undefined,
  problem,
  decimals: undefined,
});
