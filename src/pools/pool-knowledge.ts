import type { ContractRead } from '../rpc/contract-read';
import type { LiveHop } from './live-hop';

/** A question to the chain, and what to do with the answer; `undefined` where the call reverted. */
export interface Question {
  readonly read: ContractRead<unknown>;
  readonly learn: (answer: unknown) => void;
}

/** What there was to know of a pool the last time: asked for again before it is known whether it still matters. */
export interface PoolHint {
  readonly tickSpacing: number;
  readonly words: readonly number[];
  readonly ticks: readonly number[];
}

/** What is known so far of a pool, read in a few rounds because each tells what to ask next. */
export interface PoolDraft {
  /** Still to be asked; none when the hops can be had, or never will be. */
  questions(): readonly Question[];
  /** Both directions of the pool; none when it cannot trade or did not answer like a pool. */
  hops(): readonly LiveHop[];
  /** Another draft, that asks for four times as many ticks to each side; `undefined` when all are known. */
  widened(): PoolDraft | undefined;
  /** For the next time; `undefined` when there is nothing to be told of the pool. */
  readonly hint: PoolHint | undefined;
}
