import type { Address, Hex } from 'viem';

/**
 * The contracts of every smart account: Safe 1.4.1 with its ERC-4337 module, on EntryPoint 0.7.
 *
 * They have the same addresses on every network. The address of an account is derived from them, its owner and the salt, so
 * a change would give every owner another account, and existing accounts would be lost to the service.
 *
 * @see https://github.com/safe-global/safe-modules/tree/main/modules/4337
 */
export const SAFE = {
  version: '1.4.1',
  /** Other numbers would give an owner additional accounts. */
  saltNonce: 0n,
  /** SafeL2, which emits events for its calls. */
  singleton: '0x29fcB43b46531BcA003ddC8FCB67FFE91900C762',
  proxyFactory: '0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67',
  moduleSetup: '0x2dd68b007B46fBe91B9A7c3EDa5A7a1063cB5b47',
  module4337: '0x75cf11467937ce3F2f357CE24ffc3DBF8fD5c226',
  multiSendCallOnly: '0x9641d764fc13c8B624c04430C7356C1C7C8102e2',
} as const;

/**
 * Contracts that hold the code of Safes: 1.3.0 at both of its addresses, and 1.4.1; each with and without events for its
 * calls. A proxy of one of them is taken for a Safe.
 *
 * @see https://github.com/safe-global/safe-deployments/tree/main/src/assets
 */
export const SAFE_SINGLETONS: ReadonlySet<Address> = new Set<Address>([
  '0xd9Db270c1B5E3Bd161E8c8503c55cEABeE709552',
  '0x3E5c63644E683549055b9Be8653de26E0B4CD36E',
  '0x69f4D1788e39c87893C980c06EdF4b7f686e2938',
  '0xfb1bffC9d739B8D520DaF37dF666da4C687191EA',
  '0x41675C099F32341bf84BFc5382aF534df5C7461a',
  SAFE.singleton,
]);

/** Contracts of the same versions whose code makes a batch of calls from a Safe. */
export const SAFE_MULTI_SENDS: ReadonlySet<Address> = new Set<Address>([
  '0xA238CBeb142c10Ef7Ad8442C6D1f9E89e07e7761',
  '0x998739BFdAAdde7C933B942a68053933098f9EDa',
  '0x40A2aCCbd92BCA938b02010E17A5b8929b49130D',
  '0xA1dabEF33b3B82c7814B6D82A79e50F4AC44102B',
  '0x38869bf66a61cF6bDB996A6aE40D5853Fd43B526',
  SAFE.multiSendCallOnly,
]);

/**
 * Code of a Safe, up to its metadata, which differ between versions: it delegates to the singleton in the storage slot 0.
 */
export const PROXY_CODE: Hex =
  '0x608060405273ffffffffffffffffffffffffffffffffffffffff600054167fa619486e0000000000000000000000000000000000000000000000000000000060003514156050578060005260206000f35b3660008037600080366000845af43d6000803e60008114156070573d6000fd5b3d6000f3fe';

export const ENTRY_POINT: Address = '0x0000000071727De22E5E9d8BAf0edAc6f37da032';

/**
 * Return value of the factory's `proxyCreationCode()`. Pinned here, so that the address of an account does not depend on a
 * node's response.
 */
export const PROXY_CREATION_CODE: Hex =
  '0x608060405234801561001057600080fd5b506040516101e63803806101e68339818101604052602081101561003357600080fd5b8101908080519060200190929190505050600073ffffffffffffffffffffffffffffffffffffffff168173ffffffffffffffffffffffffffffffffffffffff1614156100ca576040517f08c379a00000000000000000000000000000000000000000000000000000000081526004018080602001828103825260228152602001806101c46022913960400191505060405180910390fd5b806000806101000a81548173ffffffffffffffffffffffffffffffffffffffff021916908373ffffffffffffffffffffffffffffffffffffffff1602179055505060ab806101196000396000f3fe608060405273ffffffffffffffffffffffffffffffffffffffff600054167fa619486e0000000000000000000000000000000000000000000000000000000060003514156050578060005260206000f35b3660008037600080366000845af43d6000803e60008114156070573d6000fd5b3d6000f3fea264697066735822122003d1488ee65e08fa41e58e888a9865554c535f2c77126a82cb4c0f917f31441364736f6c63430007060033496e76616c69642073696e676c65746f6e20616464726573732070726f7669646564';
