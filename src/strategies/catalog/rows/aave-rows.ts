import type { Address } from 'viem';
import type { StrategyRow } from '../../strategy-row';

/** A market of Aave V3 on one network. */
export interface AaveMarket {
  /** Begins the ids, and is the name that users see, such as `Aave`. */
  readonly brand: string;
  readonly slug: string;
  readonly chainId: number;
  /** The PoolAddressesProvider. */
  readonly provider: Address;
  /** When the market began, as an ISO 8601 date. */
  readonly startDate: string;
}

/** An asset: its name in ids, its address, and another name that requests may use. */
export type AaveAsset = readonly [name: string, underlying: Address, otherName?: string];

/** The most common assets. */
const DEFAULT_ASSETS: ReadonlySet<string> = new Set(['USDC', 'USDT', 'DAI', 'WETH']);

export const aaveRows = (market: AaveMarket, assets: readonly AaveAsset[]): readonly StrategyRow[] =>
  assets.map(([name, underlying, otherName]) => {
    const { brand, slug, chainId, provider, startDate } = market;
    return {
      id: `${brand}-${name}-${slug}`,
      aliases: otherName === undefined ? [] : [`${brand}-${otherName}-${slug}`],
      protocol: 'aave-v3',
      brand,
      chainId,
      market: provider,
      underlying,
      startDate,
      categories: ['lending'],
      isDefault: brand === 'Aave' && [name, otherName].some((each) => each !== undefined && DEFAULT_ASSETS.has(each)),
      paused: false,
      trustMax: true,
      knownFeeBps: 0,
      metadata: { website: 'https://aave.com' },
    };
  });
