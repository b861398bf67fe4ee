import type { Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { CREATE2_FACTORY, STRATEGY_ROUTER_DEPLOYMENT } from '../../src/chains/strategy-router';
import type { ChainExtension } from '../chain-extension';

const DEPLOYER_KEY: Hex = '0x7a02000000000000000000000000000000000000000000000000000000000001';

/** The router of strategies, deployed as on every other chain. */
export const ROUTER_EXTENSION: ChainExtension = {
  name: 'strategy router',
  deployer: privateKeyToAddress(DEPLOYER_KEY),
  calls: () => [{ label: 'the router of strategies', to: CREATE2_FACTORY, data: STRATEGY_ROUTER_DEPLOYMENT }],
};
