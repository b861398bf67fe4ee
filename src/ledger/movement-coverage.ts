import type { LedgerStatus } from './ledger-report';
import type { BackfillState } from './wallet-backfill';

/** Which blocks of a chain, or slots on Solana, the movements of a wallet are recorded of. */
export interface MovementCoverage {
  readonly chainId: number;
  /**
   * The first block of token movements, and the newest one; null before the first was read. None is missing since the wallet was
   * watched; before that those of listed tokens add up to the balances, and others may be missing.
   */
  readonly fromBlock: number | null;
  /**
   * The first block from which on no movement of the native coin is missing; often after `fromBlock`. Null before the first
   * was read, and while a worker that records none moves the cursor.
   */
  readonly coinFromBlock: number | null;
  /** The first block of earlier movements that were added, and whether they add up; null where none are added. */
  readonly historyFromBlock: number | null;
  readonly history: BackfillState | null;
  readonly toBlock: number | null;
  /** Blocks between that could not be read completely. */
  readonly incompleteBlocks: number;
  /** True when all blocks since `fromBlock`, and those of coin since `coinFromBlock`, were read up to the newest ones. */
  readonly isComplete: boolean;
  readonly status: LedgerStatus | 'suspended';
  /** Blocks between the newest recorded one and the head of the chain, and its age in seconds. */
  readonly lagBlocks: number;
  readonly lagSeconds: number;
}
