import type { Chain } from '../../chains/chain';
import type { ContractRead } from '../contract-read';
import type { BlockHead } from './block-head';

/** Result of one read. */
export type ReadOutcome<Result> =
  | { readonly status: 'read'; readonly value: Result }
  /** The contract reverted. `brokeMulticall`: it used all gas of a call of its own, so that other reads have none left. */
  | { readonly status: 'reverted'; readonly brokeMulticall: boolean }
  /** The contract returned something else than the ABI says, of this many bytes. */
  | { readonly status: 'invalid'; readonly bytes: number };

/** Results in the order of the reads; `undefined` for those that were not read. */
export type ReadOutcomes<Result> = readonly (ReadOutcome<Result> | undefined)[];

export interface BlockReadsRequest<Result> {
  readonly chain: Pick<Chain, 'chainId' | 'isNitro'>;
  readonly reads: readonly ContractRead<Result>[];
  readonly signal: AbortSignal;
  /**
   * True for contracts that the deployment lists. Many of them lack optional functions, and revert without data: such a revert
   * is their own while the call has gas left at its end. None uses the gas of others on purpose.
   */
  readonly areListed?: boolean;
  /** Gas for each read: by default that of a balance. Vaults that add up many markets need up to some millions. */
  readonly gasPerRead?: number | undefined;
}

/** Results of reads, all of one block. */
export interface BlockReads<Result> {
  readonly block: BlockHead;
  readonly outcomes: ReadOutcomes<Result>;
}
