import type { Address } from 'viem';

/** The protocols that strategies may use. Each has a folder in `protocols/`. */
export const PROTOCOL_NAMES = ['aave-v3', 'erc4626', 'compound-v3'] as const;
export type ProtocolName = (typeof PROTOCOL_NAMES)[number];

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
  /** What identifies the market on its chain: the PoolAddressesProvider of Aave, the vault, or the Comet. */
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
  /** What users see of it: descriptions, links. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly logoURI?: string | undefined;
}
