import type { ContractRead } from '../rpc/contract-read';
import type { HopState, SpotHop } from './hop-state';

/** A contract read, and the function that stores its result; the result is `undefined` when the call reverted. */
export interface PendingRead {
  readonly read: ContractRead<unknown>;
  readonly accept: (result: unknown) => void;
}

/** The bitmap words and ticks that the previous load of a pool read: the next load reads them in its first round. */
export interface PrefetchHint {
  readonly tickSpacing: number;
  readonly words: readonly number[];
  readonly ticks: readonly number[];
}

/** Loads the state of a pool in a few rounds of reads: the results of one round determine the reads of the next. */
export interface PoolLoader {
  /** Reads of the next round; empty when the pool is loaded or cannot be loaded. */
  pendingReads(): readonly PendingRead[];
  /**
   * Both directions of the pool at its current price, available after the first round, also when the ticks cannot be loaded.
   * Empty when the pool has no liquidity or its reads failed.
   */
  spotHops(): readonly SpotHop[];
  /** Both directions of the pool; empty when it has no liquidity or its reads failed. */
  hops(): readonly HopState[];
  /** A loader of a range four times as wide; `undefined` when every tick is loaded. */
  withWiderRange(): PoolLoader | undefined;
  /** Hint for the next load; `undefined` for V2 pools and failed loads. */
  readonly hint: PrefetchHint | undefined;
}
