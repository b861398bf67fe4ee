import type { BackfillState } from './wallet-backfill';

/**
 * - `ok`: recorded up to the newest blocks.
 * - `behind`: blocks are missing, or the chain itself has no new blocks.
 * - `stalled`: no worker has compared the ledger with the chain for a while.
 * - `stopped`: an operator has to request a replay.
 * - `unsupported`: the node serves no logs.
 * - `idle`: no wallet is watched, and the chain is not read.
 */
export type LedgerStatus = 'ok' | 'behind' | 'stalled' | 'stopped' | 'unsupported' | 'idle';

/** How far the ledger of a chain is. */
export interface LedgerState {
  readonly chainId: number;
  readonly status: LedgerStatus;
  /** The newest block whose transfers are recorded, and the newest one that is final. */
  readonly blockNumber: number;
  readonly finalNumber: number;
  readonly headNumber: number;
  /** Blocks between the recorded one and the head of the chain. */
  readonly lagBlocks: number;
  /** Age of the newest recorded block, in seconds. */
  readonly lagSeconds: number;
  /** Blocks that could not be read completely. */
  readonly quarantined: number;
  readonly reason?: string | undefined;
}

/** A chain with the number of wallets whose earlier movements are in each state. */
export interface LedgerReport extends LedgerState {
  readonly backfills: Readonly<Record<BackfillState, number>>;
}
