import { type Address, createPublicClient, http, parseAbi, type PublicClient } from 'viem';
import { entryPoint07Abi, entryPoint07Address } from 'viem/account-abstraction';
import { privateKeyToAddress } from 'viem/accounts';
import { type TestUniverse, universeOfTests } from '../../test/setup/universe-of-tests';
import { ACCOUNT_ABSTRACTION_CONTRACTS, ACCOUNT_ABSTRACTION_KEYS } from './account-abstraction-contracts';

/** As Safe's own list of deployments names them, version 1.4.1. */
const SAFE: Readonly<Record<string, Address>> = {
  Safe: '0x41675C099F32341bf84BFc5382aF534df5C7461a',
  SafeL2: '0x29fcB43b46531BcA003ddC8FCB67FFE91900C762',
  SafeProxyFactory: '0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67',
  CompatibilityFallbackHandler: '0xfd0732Dc9E303f09fCEf3a7388Ad10A83459Ec99',
  TokenCallbackHandler: '0xeDCF620325E82e3B9836eaaeFdc4283E99Dd7562',
  CreateCall: '0x9b35Af71d77eaf8d7e40252370304687390A1A52',
  MultiSend: '0x38869bf66a61cF6bDB996A6aE40D5853Fd43B526',
  MultiSendCallOnly: '0x9641d764fc13c8B624c04430C7356C1C7C8102e2',
  SignMessageLib: '0xd53cd0aB83D845Ac265BE939c57F53AD838012c9',
  SimulateTxAccessor: '0x3d4BA2E0884aa488718476ca2FB8Efc291A46199',
};
const module4337 = parseAbi(['function SUPPORTED_ENTRYPOINT() view returns (address)']);
const paymaster = parseAbi([
  'function owner() view returns (address)',
  'function verifyingSigner() view returns (address)',
  'function entryPoint() view returns (address)',
]);

let chains: TestUniverse['chains'];
beforeAll(async () => {
  ({ chains } = await universeOfTests());
});

describe.each([0, 1])('local chain %d', (index) => {
  let client: PublicClient;
  beforeAll(() => {
    client = createPublicClient({ transport: http(chains[index]!.rpcUrl) });
  });

  it.each(Object.entries(SAFE))('has %s of Safe where every network has it', async (_, address) => {
    expect(await client.getCode({ address })).toMatch(/^0x[0-9a-f]{100,}$/);
  });

  it('has the ERC-4337 module of Safe, bound to the EntryPoint', async () => {
    const { safe4337Module, safeModuleSetup, entryPoint } = ACCOUNT_ABSTRACTION_CONTRACTS;
    expect(entryPoint).toBe(entryPoint07Address);
    expect(await client.getCode({ address: safeModuleSetup })).toMatch(/^0x[0-9a-f]{100,}$/);
    expect(
      await client.readContract({ address: safe4337Module, abi: module4337, functionName: 'SUPPORTED_ENTRYPOINT' }),
    ).toBe(entryPoint);
  });

  it('has a paymaster with a deposit and a stake, and its owner and signer are the published keys', async () => {
    const { paymaster: address, entryPoint } = ACCOUNT_ABSTRACTION_CONTRACTS;
    expect(chains[index]!.paymaster).toBe(address);
    const read = (functionName: 'owner' | 'verifyingSigner' | 'entryPoint') =>
      client.readContract({ address, abi: paymaster, functionName });
    expect(await read('owner')).toBe(privateKeyToAddress(ACCOUNT_ABSTRACTION_KEYS.paymasterOwner));
    expect(await read('verifyingSigner')).toBe(privateKeyToAddress(ACCOUNT_ABSTRACTION_KEYS.paymasterSigner));
    expect(await read('entryPoint')).toBe(entryPoint);
    const deposit = await client.readContract({
      address: entryPoint,
      abi: entryPoint07Abi,
      functionName: 'getDepositInfo',
      args: [address],
    });
    expect(deposit).toMatchObject({ staked: true });
    expect(deposit.deposit).toBeGreaterThan(10n ** 18n);
  });
});
