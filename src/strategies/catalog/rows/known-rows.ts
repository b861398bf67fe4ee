import type { StrategyRow } from '../../strategy-row';
import { AAVE_AVALANCHE } from './aave-avalanche';
import { AAVE_BSC } from './aave-bsc';
import { AAVE_CELO } from './aave-celo';
import { AAVE_GNOSIS } from './aave-gnosis';
import { AAVE_OPTIMISM } from './aave-optimism';
import { ARBITRUM_STRATEGIES } from './arbitrum';
import { BASE_STRATEGIES } from './base';
import { ETHEREUM_STRATEGIES } from './ethereum';
import { POLYGON_STRATEGIES } from './polygon';

/** Strategies that every deployment offers on the networks that it serves. */
export const KNOWN_ROWS: readonly StrategyRow[] = [
  ...ETHEREUM_STRATEGIES,
  ...POLYGON_STRATEGIES,
  ...BASE_STRATEGIES,
  ...ARBITRUM_STRATEGIES,
  ...AAVE_OPTIMISM,
  ...AAVE_AVALANCHE,
  ...AAVE_BSC,
  ...AAVE_GNOSIS,
  ...AAVE_CELO,
];
