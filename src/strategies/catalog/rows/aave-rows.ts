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

/** The most common assets besides USDC. */
const DEFAULT_ASSETS: ReadonlySet<string> = new Set(['USDT', 'DAI', 'WETH']);
/** USDC as Circle issues it. In markets of Aave the name USDC is often that of a bridged one. */
const NATIVE_USDC: ReadonlySet<Address> = new Set<Address>([
  '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85',
  '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E',
  '0xcebA9300f2b948710d2653dD7B07f33A8B32118C',
]);

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
      // Most assets were listed later.
      isMarketStart: true,
      categories: ['lending'],
      isDefault:
        brand === 'Aave' &&
        (NATIVE_USDC.has(underlying) ||
          [name, otherName].some((each) => each !== undefined && DEFAULT_ASSETS.has(each))),
      paused: false,
      trustMax: true,
      knownFeeBps: 0,
      metadata: { website: 'https://aave.com' },
    };
  });
