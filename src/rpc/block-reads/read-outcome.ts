import type { ContractRead } from '../contract-read';
import type { BlockHead } from './block-head';

/** Result of one read. */
export type ReadOutcome<Result> =
  | { readonly status: 'read'; readonly value: Result }
  /** The contract reverted, or used all of its gas. `brokeMulticall`: other reads had to be separated from it. */
  | { readonly status: 'reverted'; readonly brokeMulticall: boolean }
  /** The contract returned something else than the ABI says, of this many bytes. */
  | { readonly status: 'invalid'; readonly bytes: number }
  /** The calls that one request may take were used up by other reads. */
  | { readonly status: 'unread' };

export interface BlockReadsRequest<Result> {
  readonly chainId: number;
  readonly reads: readonly ContractRead<Result>[];
  readonly signal?: AbortSignal | undefined;
}

/** Results in the order of the reads, all of one block. */
export interface BlockReads<Result> {
  readonly block: BlockHead;
  readonly outcomes: readonly ReadOutcome<Result>[];
}
