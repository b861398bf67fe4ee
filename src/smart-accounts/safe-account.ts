import { SafeSmartAccount } from 'permissionless/accounts/safe';
import {
  type Address,
  createClient,
  custom,
  decodeFunctionData,
  encodeAbiParameters,
  getAddress,
  type Hex,
  hexToBigInt,
  parseAbi,
  size,
  slice,
} from 'viem';
import { toAccount } from 'viem/accounts';
import { InvariantError } from '../errors/invariant-error';
import { ENTRY_POINT, PROXY_CREATION_CODE, SAFE } from './safe-contracts';

/** A call that an account makes. */
export interface AccountCall {
  readonly to: string;
  readonly data: Hex;
  /** Native coin sent along, in wei. */
  readonly value: bigint;
}

/** A Safe that need not exist yet: where it is, and the call that deploys it. */
export interface SafeAccount {
  readonly address: Address;
  readonly factory: Address;
  readonly factoryData: Hex;
}

/** The Safe of an owner. The same on every chain that has Safe's contracts. */
export async function safeAccountOf(owner: Address): Promise<SafeAccount> {
  const account = await libraryAccount([owner]);
  const { factory, factoryData } = await account.getFactoryArgs();
  if (factory === undefined || factoryData === undefined) throw new InvariantError('the Safe has no factory');
  return { address: account.address, factory, factoryData };
}

/** Calldata by which a Safe makes the calls in their order, all or none. */
export async function encodeAccountCalls(calls: readonly AccountCall[]): Promise<Hex> {
  const account = await libraryAccount([ANYBODY]);
  return account.encodeCalls(calls.map(({ to, data, value }) => ({ to: to as Address, data, value })));
}

const EXECUTION = parseAbi([
  'function executeUserOp(address to, uint256 value, bytes data, uint8 operation)',
  'function executeUserOpWithErrorString(address to, uint256 value, bytes data, uint8 operation)',
]);
const MULTI_SEND = parseAbi(['function multiSend(bytes transactions)']);

/** The calls that calldata makes a Safe do, in their order. `undefined` when it is not such calldata. */
export function decodeAccountCalls(callData: Hex): readonly AccountCall[] | undefined {
  try {
    const [to, value, data] = decodeFunctionData({ abi: EXECUTION, data: callData }).args;
    if (to !== SAFE.multiSendCallOnly) return [{ to, data, value }];
    return packedCalls(decodeFunctionData({ abi: MULTI_SEND, data }).args[0]);
  } catch {
    return undefined; // of another account, or no calldata at all
  }
}

/** Operation, target, value and length, then the calldata: one call behind the other. */
function packedCalls(transactions: Hex): readonly AccountCall[] {
  const calls: AccountCall[] = [];
  for (let at = 0; at < size(transactions);) {
    const field = (from: number, to: number): Hex => slice(transactions, at + from, at + to, { strict: true });
    const end = 85 + Number.parseInt(hexToBigInt(field(53, 85)).toString(), 10);
    const data = end === 85 ? '0x' : field(85, end);
    calls.push({ to: getAddress(field(1, 21)), data, value: hexToBigInt(field(21, 53)) });
    at += end;
  }
  return calls;
}

/** A signature as long as one of so many owners, which is not valid: what gas is estimated with. */
export async function stubSignature(owners: number): Promise<Hex> {
  const account = await libraryAccount(Array.from({ length: owners }, () => ANYBODY));
  return account.getStubSignature();
}

const ANYBODY: Address = '0x1111111111111111111111111111111111111111';

const libraryAccount = (owners: readonly Address[]) =>
  SafeSmartAccount.toSafeSmartAccount({
    client: OFFLINE,
    owners: owners.map(keyless),
    version: SAFE.version,
    entryPoint: { address: ENTRY_POINT, version: '0.7' },
    saltNonce: SAFE.saltNonce,
    safeSingletonAddress: SAFE.singleton,
    safeProxyFactoryAddress: SAFE.proxyFactory,
    safeModuleSetupAddress: SAFE.moduleSetup,
    safe4337ModuleAddress: SAFE.module4337,
    multiSendCallOnlyAddress: SAFE.multiSendCallOnly,
    // Without the detour over MultiSend, as Safe's own kit sets accounts up.
    useMultiSendForSetup: false,
  });

/** An owner whose key is with the customer. */
const keyless = (address: Address) =>
  toAccount({ address, signMessage: cannotSign, signTransaction: cannotSign, signTypedData: cannotSign });

function cannotSign(): never {
  throw new InvariantError('the service has no key of an account');
}

/** Answers the only question about a chain that the derivation of an address asks, without a chain. */
const OFFLINE = createClient({
  transport: custom({
    request: ({ method }: { readonly method: string }) => {
      if (method === 'eth_getCode') return Promise.resolve('0x'); // accounts are described as not deployed yet
      if (method === 'eth_call')
        return Promise.resolve(encodeAbiParameters([{ type: 'bytes' }], [PROXY_CREATION_CODE]));
      return Promise.reject(new InvariantError(`a Safe was derived with ${method}`));
    },
  }),
});
