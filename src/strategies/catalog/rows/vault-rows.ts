import type { Address } from 'viem';
import type { StrategyRow } from '../../strategy-row';

/** A vault, or a Comet. */
export interface VaultMarket extends Pick<StrategyRow, 'id' | 'brand' | 'chainId' | 'startDate'> {
  readonly market: Address;
  readonly underlying: Address;
  readonly website: string;
  readonly trustMax?: boolean;
  /** The rewards contract. */
  readonly rewards?: Address;
}

export const vaultRow = (vault: VaultMarket): StrategyRow => rowOf('erc4626', ['vault'], vault);

export const cometRow = (comet: VaultMarket): StrategyRow => rowOf('compound-v3', ['lending'], comet);

function rowOf(
  protocol: StrategyRow['protocol'],
  categories: readonly string[],
  { id, brand, chainId, market, underlying, startDate, website, trustMax = true, rewards }: VaultMarket,
): StrategyRow {
  return {
    id,
    aliases: [],
    protocol,
    brand,
    chainId,
    market,
    underlying,
    startDate,
    categories,
    isDefault: false,
    paused: false,
    trustMax,
    knownFeeBps: 0,
    ...(rewards === undefined ? {} : { rewards }),
    metadata: { website },
  };
}
