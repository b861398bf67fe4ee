import type { CustomerId } from '../../auth/principal';

/** A token of one chain, by its canonical address. */
export interface ChainToken {
  readonly chainId: number;
  readonly token: string;
}

export interface SeenTokens {
  /** The most recent first. */
  readonly tokens: readonly ChainToken[];
  /** True when the wallet may have more than were read. */
  readonly isTruncated: boolean;
}

export interface TokenSourceQuery {
  readonly customerId: CustomerId;
  readonly wallets: readonly string[];
  /** Maximum number of tokens of one wallet, on all chains together. */
  readonly limit: number;
}

/**
 * Tokens that wallets may hold: what the service has seen them receive or send. An index of the chains' transfers is such a
 * source as well.
 *
 * Resolves to the tokens by wallet; wallets without tokens are omitted. Reads a bounded number of rows, and only data of the customer or
 * public data.
 */
export interface TokenSource {
  tokensOf(query: TokenSourceQuery): Promise<ReadonlyMap<string, SeenTokens>>;
}
