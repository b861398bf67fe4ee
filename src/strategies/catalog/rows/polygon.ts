import type { StrategyRow } from '../../strategy-row';
import { AAVE_POLYGON } from './aave-polygon';
import { cometRow, vaultRow } from './vault-rows';

const USDC = '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359';
const BRIDGED_USDC = '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174';

export const POLYGON_STRATEGIES: readonly StrategyRow[] = [
  ...AAVE_POLYGON,
  cometRow({
    id: 'Compound-USDC-polygon',
    brand: 'Compound',
    chainId: 137,
    market: '0xF25212E676D1F7F89Cd72fFEe66158f541246445',
    underlying: BRIDGED_USDC,
    startDate: '2023-03-20',
    rewards: '0x45939657d1CA34A8FA39A924B71D28Fe8431e581',
    website: 'https://compound.finance',
  }),
  vaultRow({
    id: 'CompoundBlue-USDC-polygon',
    brand: 'Compound Blue',
    chainId: 137,
    market: '0x781FB7F6d845E3bE129289833b04d43Aa8558c42',
    underlying: USDC,
    startDate: '2025-03-01',
    website: 'https://compound.blue',
  }),
];
