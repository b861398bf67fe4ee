import {
  type Address,
  concatHex,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  parseAbi,
  parseUnits,
  zeroHash,
} from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { initCode, packagedArtifact } from '../artifacts';
import { CANONICAL } from '../canonical-addresses';
import type { ChainExtension } from '../chain-extension';
import type { JsonRpc } from '../json-rpc';
import type { SetupCall } from '../setup-transactions';

/** Keys of those who sponsor user operations on the local chains: public, never send anything of value to them. */
export const ACCOUNT_ABSTRACTION_KEYS = {
  /** Deploys the contracts, and owns the paymaster with its deposit and stake. */
  paymasterOwner: '0x4337000000000000000000000000000000000000000000000000000000000001',
  /** Signs what the paymaster pays for: what a deployment configures as `PAYMASTER_SIGNER_KEY`. */
  paymasterSigner: '0x4337000000000000000000000000000000000000000000000000000000000002',
} as const satisfies Record<string, Hex>;

const PAYMASTER_OWNER = privateKeyToAddress(ACCOUNT_ABSTRACTION_KEYS.paymasterOwner);
const PAYMASTER_SIGNER = privateKeyToAddress(ACCOUNT_ABSTRACTION_KEYS.paymasterSigner);

/** `entryPoint`, Safe and its module are where they are on every network; `paymaster` is ours, on every local chain. */
export const ACCOUNT_ABSTRACTION_CONTRACTS = {
  entryPoint: '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
  safeModuleSetup: '0x2dd68b007B46fBe91B9A7c3EDa5A7a1063cB5b47',
  safe4337Module: '0x75cf11467937ce3F2f357CE24ffc3DBF8fD5c226',
  paymaster: getContractAddress({ from: PAYMASTER_OWNER, nonce: 1n }),
} as const satisfies Record<string, Address>;

const SAFE_SINGLETON_FACTORY: Address = '0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7';
/** CREATE2 salt of EntryPoint 0.7, mined so that its address begins with zeros. */
const ENTRY_POINT_SALT: Hex = '0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3';

const SAFE_CONTRACTS = [
  'Safe',
  'SafeL2',
  'proxies/SafeProxyFactory',
  'handler/CompatibilityFallbackHandler',
  'handler/TokenCallbackHandler',
  'libraries/CreateCall',
  'libraries/MultiSend',
  'libraries/MultiSendCallOnly',
  'libraries/SignMessageLib',
  'accessors/SimulateTxAccessor',
] as const;

/** What the paymaster can spend, and what it has locked up so that bundlers trust it. */
const DEPOSIT = parseUnits('10000', 18);
const STAKE = parseUnits('10', 18);
const UNSTAKE_DELAY_SECONDS = 86_400;

const paymaster = parseAbi(['function deposit() payable', 'function addStake(uint32 unstakeDelaySec) payable']);

/** Safe 1.4.1 with its ERC-4337 module, EntryPoint 0.7, and a paymaster that pays for what its signer has signed. */
export const ACCOUNT_ABSTRACTION_EXTENSION: ChainExtension = {
  name: 'account-abstraction',
  deployer: PAYMASTER_OWNER,
  prepare: putCode,
  // The constructor of the paymaster calls the EntryPoint, which therefore comes first.
  calls: () => [deployedEntryPoint(), ...fundedPaymaster(), ...SAFE_CONTRACTS.map(deployedSafeContract)],
};

const deployedEntryPoint = (): SetupCall => ({
  label: 'the EntryPoint',
  to: CANONICAL.create2Factory,
  data: concatHex([ENTRY_POINT_SALT, initCode(accountAbstraction('EntryPoint'), [])]),
});

function fundedPaymaster(): readonly SetupCall[] {
  const { entryPoint, paymaster: to } = ACCOUNT_ABSTRACTION_CONTRACTS;
  return [
    {
      label: 'the paymaster',
      data: initCode(accountAbstraction('VerifyingPaymaster'), [entryPoint, PAYMASTER_SIGNER]),
    },
    {
      label: 'the deposit of the paymaster',
      to,
      value: DEPOSIT,
      data: encodeFunctionData({ abi: paymaster, functionName: 'deposit' }),
    },
    {
      label: 'the stake of the paymaster',
      to,
      value: STAKE,
      data: encodeFunctionData({ abi: paymaster, functionName: 'addStake', args: [UNSTAKE_DELAY_SECONDS] }),
    },
  ];
}

function deployedSafeContract(file: (typeof SAFE_CONTRACTS)[number]): SetupCall {
  const name = file.split('/').at(-1) ?? file;
  const artifact = packagedArtifact(`@safe-global/safe-contracts/build/artifacts/contracts/${file}.sol/${name}.json`);
  return {
    label: `${name} of Safe`,
    to: SAFE_SINGLETON_FACTORY,
    data: concatHex([zeroHash, initCode(artifact, [])]),
  };
}

const accountAbstraction = (name: string) => packagedArtifact(`@account-abstraction/contracts/artifacts/${name}.json`);

/** Puts the deployer of Safe's contracts, and the module with its set-up, where transactions cannot. */
async function putCode(rpc: JsonRpc): Promise<void> {
  const { safe4337Module, safeModuleSetup, entryPoint } = ACCOUNT_ABSTRACTION_CONTRACTS;
  const [factory, moduleCode, setupCode] = await rpc.batch([
    // The same contract under another address.
    { method: 'eth_getCode', params: [CANONICAL.create2Factory, 'latest'] },
    created('Safe4337Module', [entryPoint]),
    created('SafeModuleSetup', []),
  ]);
  await rpc.batch([
    { method: 'anvil_setCode', params: [SAFE_SINGLETON_FACTORY, factory] },
    { method: 'anvil_setCode', params: [safe4337Module, moduleCode] },
    { method: 'anvil_setCode', params: [safeModuleSetup, setupCode] },
  ]);
}

/** A call that returns the code that a constructor would deploy. */
function created(name: 'Safe4337Module' | 'SafeModuleSetup', args: readonly unknown[]) {
  const artifact = packagedArtifact(`@safe-global/safe-4337/build/artifacts/contracts/${name}.sol/${name}.json`);
  return { method: 'eth_call', params: [{ data: initCode(artifact, args) }, 'latest'] };
}
