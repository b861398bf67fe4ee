import type { MicroUsd } from '../../money/usd';
import type { MissingPrice, TokenPrice } from '../../prices/token-price';
import type { TokenBalance } from '../balances/read-balances';
import type { SpamAssessment } from '../balances/spam-score';

/** Millionths of a real. Never a float. */
export type MicroBrl = bigint;

/** A token that a wallet holds, with its value. */
export interface TokenPosition extends Pick<
  TokenBalance,
  | 'chainId'
  | 'address'
  | 'isNative'
  | 'isListed'
  | 'isPinned'
  | 'symbol'
  | 'name'
  | 'decimals'
  | 'logoURI'
  | 'humanized'
> {
  /** `<chainId>:<address>`, or `<chainId>:native` for SOL. */
  readonly id: string;
  /** In base units; more than 0. */
  readonly amount: bigint;
  readonly spam: SpamAssessment;
  /** True for spam that the customer has not pinned. It has no price and no value. */
  readonly isHidden: boolean;
  readonly price: TokenPrice | undefined;
  /** Why there is no price. `undefined` with a price, and when none was requested. */
  readonly missingPrice: MissingPrice | undefined;
  /** Rounded down; `undefined` without a price. */
  readonly valueUsd: MicroUsd | undefined;
  /** Rounded down; `undefined` without a price of the token or of the real. */
  readonly valueBrl: MicroBrl | undefined;
  /** True when the chain is unavailable, and the amount is the last known one, or when its block is old. */
  readonly stale: boolean;
  /** Time of the block that the amount was read at. */
  readonly asOf: Date;
}

/** A chain, or a token of it, whose balance or value is missing. */
export interface TokensError {
  /**
   * The code of the chain's error, `BALANCE_` and the problem of the token, or for a listed or pinned token that does not count
   * in the total: `PRICE_MISSING` or, above the number of prices that a request reads, `PRICE_NOT_REQUESTED`.
   */
  readonly code: string;
  readonly message: string;
  readonly chainId: number;
  /** The token. `undefined` for the whole chain. */
  readonly address: string | undefined;
}

/** All tokens of a wallet on all of its chains. */
export interface WalletTokens {
  /** The most valuable first, then those without a value. Hidden ones included. */
  readonly positions: readonly TokenPosition[];
  /** Sum of the values of the positions. */
  readonly totalUsd: MicroUsd;
  /** `undefined` without a price of the real. */
  readonly totalBrl: MicroBrl | undefined;
  /** Number of shown positions that are stale. */
  readonly stalePositions: number;
  /** Time of the earliest block among those of the shown positions; `undefined` without positions. */
  readonly oldestAsOf: Date | undefined;
  /** Those of chains first, those of prices last. */
  readonly errors: readonly TokensError[];
  /** True when the wallet may hold tokens that were not read. */
  readonly isTruncated: boolean;
}
