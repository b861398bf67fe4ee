import type { Address } from 'viem';
import type { DevnetSlug } from '../liquidity';
import { STOCK_CONTRACTS } from '../stocks/stock-contracts';
import type { DevnetTokens } from '../tokens';
import { AAVE_PROVIDER } from './aave-market';
import { EXIT_FEE_BPS, VAULTS } from './vaults';

/** A strategy of a local chain, as `STRATEGIES_FILE` describes strategies. */
export interface DevnetStrategy {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly protocol: 'aave-v3' | 'erc4626' | 'erc7540' | 'compound-v3' | 'tokenized-stock';
  readonly brand: string;
  readonly chainId: number;
  readonly market: Address;
  readonly underlying: Address;
  readonly startDate: string;
  readonly categories: readonly string[];
  readonly isDefault: boolean;
  readonly paused: boolean;
  readonly trustMax: boolean;
  readonly knownFeeBps: number;
  readonly priceFeed?: Address;
  readonly rewards?: Address;
  readonly metadata: Readonly<Record<string, unknown>>;
}

interface LocalStrategy extends Pick<DevnetStrategy, 'protocol' | 'brand' | 'market'> {
  readonly symbol: 'USDC' | 'WETH';
  readonly description: string;
  readonly categories: readonly string[];
  readonly isDefault?: boolean;
  readonly trustMax?: boolean;
  readonly knownFeeBps?: number;
  readonly rewards?: Address;
}

const LENDING = ['lending'];
const VAULT = ['vault'];

const STRATEGIES: readonly LocalStrategy[] = [
  {
    protocol: 'aave-v3',
    brand: 'Aave',
    market: AAVE_PROVIDER,
    symbol: 'USDC',
    categories: LENDING,
    description: 'Lends USDC in the local market of Aave V3.',
    isDefault: true,
  },
  {
    protocol: 'aave-v3',
    brand: 'Aave',
    market: AAVE_PROVIDER,
    symbol: 'WETH',
    categories: LENDING,
    description: 'Lends wrapped ether in the local market of Aave V3.',
    isDefault: true,
  },
  {
    protocol: 'erc4626',
    brand: 'Steady',
    market: VAULTS.steady,
    symbol: 'USDC',
    categories: VAULT,
    description: 'A vault that earns 5 % a year.',
    isDefault: true,
  },
  {
    protocol: 'erc4626',
    brand: 'Gated',
    market: VAULTS.gated,
    symbol: 'USDC',
    categories: VAULT,
    description: 'A vault with gates, whose limits are 0 though it accepts deposits.',
    trustMax: false,
  },
  {
    protocol: 'erc4626',
    brand: 'ExitFee',
    market: VAULTS.exitFee,
    symbol: 'USDC',
    categories: VAULT,
    description: 'A vault that keeps 0.5 % of each withdrawal.',
    knownFeeBps: EXIT_FEE_BPS,
  },
  {
    protocol: 'erc7540',
    brand: 'Requests',
    market: VAULTS.requests,
    symbol: 'USDC',
    categories: VAULT,
    description: 'A vault whose deposits and withdrawals are requested, and fulfilled after a few seconds.',
  },
  {
    protocol: 'compound-v3',
    brand: 'Compound',
    market: VAULTS.comet,
    rewards: VAULTS.cometRewards,
    symbol: 'USDC',
    categories: LENDING,
    description: 'Lends USDC in a local market with the interface of Compound III.',
    isDefault: true,
  },
];

/** The strategies of a local chain. */
export const strategiesOf = (
  { slug, chainId }: { readonly slug: DevnetSlug; readonly chainId: number },
  tokens: DevnetTokens,
): readonly DevnetStrategy[] => [
  ...STRATEGIES.map(({ symbol, description, protocol, brand, market, categories, ...traits }) => ({
    id: `${brand}-${symbol}-${slug}`,
    aliases: [],
    protocol,
    brand,
    chainId,
    market,
    underlying: tokens[symbol].address,
    startDate: '2025-01-01',
    categories,
    isDefault: traits.isDefault ?? false,
    paused: false,
    trustMax: traits.trustMax ?? true,
    knownFeeBps: traits.knownFeeBps ?? 0,
    ...(traits.rewards === undefined ? {} : { rewards: traits.rewards }),
    metadata: { description },
  })),
  ...(slug === 'devnet' ? [stockStrategy(chainId, tokens)] : []),
];

/** Only one chain has the order book of stocks. */
const stockStrategy = (chainId: number, { USDT }: DevnetTokens): DevnetStrategy => ({
  id: 'Acme-ACMEon-devnet',
  aliases: [],
  protocol: 'tokenized-stock',
  brand: 'Acme',
  chainId,
  market: STOCK_CONTRACTS.token,
  underlying: USDT.address,
  startDate: '2025-01-01',
  categories: ['stock'],
  isDefault: false,
  paused: false,
  trustMax: true,
  knownFeeBps: 0,
  priceFeed: STOCK_CONTRACTS.priceFeed,
  metadata: { description: 'A tokenized stock, bought and sold by orders in USDT.' },
});
