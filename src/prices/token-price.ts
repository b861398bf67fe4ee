import type { Chain } from '../chains/chain';
import type { UsdPrice } from '../money/usd';
import type { Token } from '../tokens/token';

/** How a price came about: the current state of pools, a mean over time, an oracle, an aggregated market price, an assumed peg. */
export const PRICE_KINDS = ['spot', 'twap', 'oracle', 'api', 'peg'] as const;
export type PriceKind = (typeof PRICE_KINDS)[number];

/**
 * What a reader of a price should know:
 *
 * - `SINGLE_SOURCE`: no two independent sources have a fresh price. Aggregators of markets count as one.
 * - `DEVIATION`: the sources differ by more than 2 %, for dollar tokens by more than 0.5 %.
 * - `OFF_PEG`: a dollar token is worth less than 0.98 or more than 1.02 dollars, or the price was derived from such a token.
 * - `PEG_UNCHECKED`: one dollar is assumed, because no source has a price of the dollar token.
 * - `ANCHOR_UNCONFIRMED`: derived from a dollar token whose peg no two independent sources confirm within 0.5 %.
 * - `LAST_CLOSE`: the price of the last business day.
 */
export const PRICE_FLAGS = [
  'SINGLE_SOURCE',
  'DEVIATION',
  'OFF_PEG',
  'PEG_UNCHECKED',
  'ANCHOR_UNCONFIRMED',
  'LAST_CLOSE',
] as const;
export type PriceFlag = (typeof PRICE_FLAGS)[number];

/** The price of a token as one source observed it. */
export interface PriceObservation {
  /** US dollars for one whole token, in 10^-24 dollars. */
  readonly usdE24: UsdPrice;
  /** `chainlink`, `defillama`, …, or the pool as in `uniswap-v3:0x…`. */
  readonly source: string;
  /** Time of the observation by the source, not of the request. Never in the future. */
  readonly asOf: Date;
  /** Time from which the price is stale; `undefined` when it never is. */
  readonly freshUntil?: Date;
  /** Certainty as the source states it, in basis points: 10000 is certain. */
  readonly confidenceBps: number;
  readonly kind: PriceKind;
  /** True for a price that is fixed once a business day. It stands in for a current price only when there is none. */
  readonly isDaily?: boolean;
  readonly flags?: readonly PriceFlag[];
}

/** The combined price of a token: that of one of its observations. */
export interface TokenPrice extends PriceObservation {
  readonly flags: readonly PriceFlag[];
  /** True when two independent fresh sources agree: only such prices may decide about money. */
  readonly isConfirmed: boolean;
}

/** Why a token has no price: no source has a fresh one, or the sources differ by more than 10 %. */
export const MISSING_PRICES = ['NO_SOURCE', 'SOURCES_DISAGREE'] as const;
export type MissingPrice = (typeof MISSING_PRICES)[number];

export type PriceResult =
  { readonly price: TokenPrice; readonly missing?: never } | { readonly price?: never; readonly missing: MissingPrice };

/** Prices of tokens, combined from all sources. */
export interface TokenPriceReader {
  /**
   * Results in the order of the tokens. Never rejects: a source that fails, or does not respond within two seconds, is left
   * out, for these tokens only.
   */
  read(tokens: readonly Token[]): Promise<readonly PriceResult[]>;
}

/** A token as sources know it: the native coin stands as its wrapper, EVM addresses are checksummed. */
export interface PricedToken {
  readonly chain: Chain;
  readonly address: string;
  readonly decimals: number;
}

/** A source of token prices. */
export interface TokenPriceSource {
  readonly id: string;
  /** Time for which an observation is reused, in milliseconds. */
  readonly cacheMs: number;
  /** Time for which the absence of a price of an unlisted token is reused, in milliseconds. Default: `cacheMs`. */
  readonly absentMs?: number;
  /** Maximum number of tokens in one call. */
  readonly maxBatch: number;
  /** True when the source is configured for the token. Decided without a call. */
  covers(token: PricedToken): boolean;
  /**
   * Fresh observations of tokens of one chain, by address. A token without one is missing: it never affects the others.
   *
   * @throws PROVIDER_UNAVAILABLE when the source does not respond with a readable body
   */
  observe(tokens: readonly PricedToken[], signal: AbortSignal): Promise<ReadonlyMap<string, PriceObservation>>;
}
