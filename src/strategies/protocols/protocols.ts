import type { ProtocolName } from '../strategy-row';
import { aaveV3 } from './aave-v3/aave-v3';
import { compoundV3 } from './compound-v3/compound-v3';
import { erc4626 } from './erc4626/erc4626';
import type { Protocol } from './protocol';

export const PROTOCOLS: Readonly<Record<ProtocolName, Protocol>> = {
  'aave-v3': aaveV3,
  erc4626,
  'compound-v3': compoundV3,
};
