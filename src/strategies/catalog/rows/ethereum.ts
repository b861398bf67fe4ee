import type { StrategyRow } from '../../strategy-row';
import { AAVE_ETHEREUM } from './aave-ethereum';
import { cometRow, vaultRow } from './vault-rows';

const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const USDS = '0xdC035D45d973E3EC169d2276DDab16f1e407384F';
const DAI = '0x6B175474E89094C44Da98b954EedeAC495271d0F';

export const ETHEREUM_STRATEGIES: readonly StrategyRow[] = [
  ...AAVE_ETHEREUM,
  cometRow({
    id: 'Compound-USDC-ethereum',
    brand: 'Compound',
    chainId: 1,
    market: '0xc3d688B66703497DAA19211EEdff47f25384cdc3',
    underlying: USDC,
    startDate: '2022-08-26',
    rewards: '0x1B0e765F6224C21223AeA2af16c1C46E38885a40',
    website: 'https://compound.finance',
  }),
  vaultRow({
    id: 'Sky-USDS-ethereum',
    brand: 'Sky',
    chainId: 1,
    market: '0xa3931d71877C0E7a3148CB7Eb4463524FEc27fbD',
    underlying: USDS,
    startDate: '2024-09-18',
    website: 'https://sky.money',
  }),
  vaultRow({
    id: 'Sky-DAI-ethereum',
    brand: 'Sky',
    chainId: 1,
    market: '0x83F20F44975D03b1b09e64809B757c47f942BEeA',
    underlying: DAI,
    startDate: '2023-05-09',
    website: 'https://sky.money',
  }),
  vaultRow({
    id: 'Steakhouse-USDC-ethereum',
    brand: 'Steakhouse',
    chainId: 1,
    market: '0xBEEF01735c132Ada46AA9aA4c54623cAA92A64CB',
    underlying: USDC,
    startDate: '2024-01-03',
    website: 'https://app.morpho.org',
  }),
  vaultRow({
    id: 'Yearn-USDC-ethereum',
    brand: 'Yearn',
    chainId: 1,
    market: '0xBe53A109B494E5c9f97b9Cd39Fe969BE68BF6204',
    underlying: USDC,
    startDate: '2024-03-12',
    website: 'https://yearn.fi',
  }),
];
