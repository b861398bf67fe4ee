import type { StrategyRow } from '../../strategy-row';
import { AAVE_ARBITRUM } from './aave-arbitrum';
import { cometRow, vaultRow } from './vault-rows';

const USDC = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831';

export const ARBITRUM_STRATEGIES: readonly StrategyRow[] = [
  ...AAVE_ARBITRUM,
  cometRow({
    id: 'Compound-USDC-arbitrum',
    brand: 'Compound',
    chainId: 42161,
    market: '0x9c4ec768c28520B50860ea7a15bd7213a9fF58bf',
    underlying: USDC,
    startDate: '2023-08-15',
    rewards: '0x88730d254A2f7e6AC8388c3198aFd694bA9f7fae',
    website: 'https://compound.finance',
  }),
  vaultRow({
    id: 'Steakhouse-USDC-arbitrum',
    brand: 'Steakhouse',
    chainId: 42161,
    market: '0x5c0C306Aaa9F877de636f4d5822cA9F2E81563BA',
    underlying: USDC,
    startDate: '2025-06-01',
    website: 'https://app.morpho.org',
  }),
];
