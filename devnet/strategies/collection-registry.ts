import { type Address, getContractAddress, type Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { initCode, ownArtifact } from '../artifacts';
import type { ChainExtension } from '../chain-extension';
import { SERVICE_WALLET_KEY } from '../service-wallet';

const DEPLOYER_KEY: Hex = '0xc011ec7000000000000000000000000000000000000000000000000000000001';
const DEPLOYER = privateKeyToAddress(DEPLOYER_KEY);

/** The same address on every local chain. */
export const COLLECTION_REGISTRY: Address = getContractAddress({ from: DEPLOYER, nonce: 0n });

/** Collects fees on profit; its controller is the service's own wallet. */
export const COLLECTION_REGISTRY_EXTENSION: ChainExtension = {
  name: 'collection registry',
  deployer: DEPLOYER,
  calls: () => [
    {
      label: 'the registry of collections',
      data: initCode(ownArtifact('CollectionRegistry'), [privateKeyToAddress(SERVICE_WALLET_KEY)]),
    },
  ],
};
