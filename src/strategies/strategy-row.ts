import type { Address } from 'viem';

/** The protocols that strategies may use. Each has a folder in `protocols/`. */
export const PROTOCOL_NAMES = ['aave-v3', 'erc4626', 'erc7540', 'compound-v3', 'tokenized-stock'] as const;
export type ProtocolName = (typeof PROTOCOL_NAMES)[number];

/** The protocol whose shares are bought and sold by orders. */
export const STOCKS = 'tokenized-stock';
/** The protocols that wallets deposit into themselves. */
export type DirectProtocolName = Exclude<ProtocolName, typeof STOCKS>;

/** A strategy as the catalog lists it: one asset in one market of a protocol. */
export interface StrategyRow {
  /** `<brand>-<asset>-<network>`, for example `Aave-USDC-polygon`. Unique in any case. */
  readonly id: string;
  /** Other ids that requests may use. */
  readonly aliases: readonly string[];
  readonly protocol: ProtocolName;
  /** Name for people, for example `Aave`. Several brands may use one protocol. */
  readonly brand: string;
  readonly chainId: number;
  /**
   * What identifies the market on its chain: the PoolAddressesProvider of Aave, the vault, the Comet, or
   * the token of the stock.
   */
  readonly market: Address;
  /** The token that is deposited. */
  readonly underlying: Address;
  /** ISO 8601 date. */
  readonly startDate: string;
  /** True when the date is that of the market, which may have begun without the asset. */
  readonly isMarketStart?: boolean | undefined;
  readonly categories: readonly string[];
  readonly isDefault: boolean;
  /** True when the deployment offers no deposits. Withdrawals stay possible. */
  readonly paused: boolean;
  /** False when the vault's `max…` functions return less than it accepts: then a simulation decides. */
  readonly trustMax: boolean;
  /** Loss between deposit and immediate withdrawal that the vault's own fees explain, in basis points. */
  readonly knownFeeBps: number;
  /** Tokenized stocks only: the feed with Chainlink's interface of the price of a token in dollars. */
  readonly priceFeed?: Address | undefined;
  /** Compound only: the rewards contract (CometRewards). */
  readonly rewards?: Address | undefined;
  /** What users see of it: descriptions, links. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly logoURI?: string | undefined;
}
