import type { StrategyRow } from '../../strategy-row';
import { AAVE_BASE } from './aave-base';
import { cometRow, vaultRow } from './vault-rows';

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

export const BASE_STRATEGIES: readonly StrategyRow[] = [
  ...AAVE_BASE,
  cometRow({
    id: 'Compound-USDC-base',
    brand: 'Compound',
    chainId: 8453,
    market: '0xb125E6687d4313864e53df431d5425969c15Eb2F',
    underlying: USDC,
    startDate: '2024-03-20',
    rewards: '0x123964802e6ABabBE1Bc9547D72Ef1B69B00A6b1',
    website: 'https://compound.finance',
  }),
  vaultRow({
    id: 'Moonwell-USDC-base',
    brand: 'Moonwell',
    chainId: 8453,
    market: '0xc1256Ae5FF1cf2719D4937adb3bbCCab2E00A2Ca',
    underlying: USDC,
    startDate: '2024-06-13',
    website: 'https://moonwell.fi',
  }),
];
