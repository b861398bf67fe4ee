import { type Hex, parseEther } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import type { ChainExtension } from './chain-extension';

/** What the embedded service completes transfers with: what a deployment configures as `SERVICE_WALLET_KEY`. */
export const SERVICE_WALLET_KEY: Hex = '0x5e41ce0000000000000000000000000000000000000000000000000000000001';

const PATRON_KEY: Hex = '0x5e41ce0000000000000000000000000000000000000000000000000000000002';

/** Coin for the service's own wallet. */
export const SERVICE_WALLET_EXTENSION: ChainExtension = {
  name: 'service wallet',
  deployer: privateKeyToAddress(PATRON_KEY),
  calls: () => [
    { label: 'coin for the service', to: privateKeyToAddress(SERVICE_WALLET_KEY), value: parseEther('1000') },
  ],
};
