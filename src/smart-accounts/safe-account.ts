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
} from 'viem';
import { toAccount } from 'viem/accounts';
import { InvariantError } from '../errors/invariant-error';
import { ENTRY_POINT, PROXY_CREATION_CODE, SAFE } from './safe-contracts';

/** A call of a smart account. */
export interface SmartAccountCall {
  readonly to: string;
  readonly data: Hex;
  /** Native coin sent with the call, in wei. */
  readonly value: bigint;
}

/** A Safe, deployed or not: its address, and the call that deploys it. */
export interface SafeAccount {
  readonly address: Address;
  readonly factory: Address;
  readonly factoryData: Hex;
}

/** Derives the Safe of an owner. Its address is the same on every chain with Safe's contracts. */
export async function deriveSafeAccount(owner: Address): Promise<SafeAccount> {
  const account = await libraryAccount([owner]);
  const { factory, factoryData } = await account.getFactoryArgs();
  if (factory === undefined || factoryData === undefined) throw new InvariantError('the Safe has no factory');
  return { address: account.address, factory, factoryData };
}

/** Encodes calldata with which a Safe executes the calls in order, all or none. */
export async function encodeAccountCalls(calls: readonly SmartAccountCall[]): Promise<Hex> {
  const account = await libraryAccount([PLACEHOLDER_OWNER]);
  return account.encodeCalls(calls.map(({ to, data, value }) => ({ to: to as Address, data, value })));
}

const EXECUTION = parseAbi([
  'function executeUserOp(address to, uint256 value, bytes data, uint8 operation)',
  'function executeUserOpWithErrorString(address to, uint256 value, bytes data, uint8 operation)',
]);
const MULTI_SEND = parseAbi(['function multiSend(bytes transactions)']);

/** Decodes the calls of a Safe's calldata, in order. `undefined` for other calldata. */
export function decodeAccountCalls(callData: Hex): readonly SmartAccountCall[] | undefined {
  try {
    const [to, value, data] = decodeFunctionData({ abi: EXECUTION, data: callData }).args;
    if (to !== SAFE.multiSendCallOnly) return [{ to, data, value }];
    return decodeMultiSend(data);
  } catch {
    return undefined; // calldata of another account, or invalid
  }
}

class InvalidBatchError extends Error {
  override readonly name = 'InvalidBatchError';
}

/** Decodes the calls of a batch, in order. @throws for other calldata, and for a batch with another operation than calls */
export const decodeMultiSend = (data: Hex): readonly SmartAccountCall[] =>
  packedCalls(decodeFunctionData({ abi: MULTI_SEND, data }).args[0]);

/** Each packed call: operation (0 for a call), target, value, length of the calldata, calldata. @throws for other data */
function packedCalls(transactions: Hex): readonly SmartAccountCall[] {
  const bytes = Buffer.from(transactions.slice(2), 'hex');
  const calls: SmartAccountCall[] = [];
  for (let at = 0; at < bytes.length;) {
    const field = (from: number, to: number): Hex => bytesIn(bytes, at + from, at + to);
    if (field(0, 1) !== '0x00') throw new InvalidBatchError('the packed operation is no call');
    const end = 85 + Number.parseInt(hexToBigInt(field(53, 85)).toString(), 10);
    calls.push({ to: getAddress(field(1, 21)), data: field(85, end), value: hexToBigInt(field(21, 53)) });
    at += end;
  }
  return calls;
}

function bytesIn(bytes: Buffer, from: number, to: number): Hex {
  if (to > bytes.length) throw new InvalidBatchError('the batch ends within a packed call');
  return `0x${bytes.subarray(from, to).toString('hex')}`;
}

/** An invalid signature with the length of so many owners' signatures, for gas estimates. */
export async function stubSignature(owners: number): Promise<Hex> {
  const account = await libraryAccount(Array.from({ length: owners }, () => PLACEHOLDER_OWNER));
  return account.getStubSignature();
}

const PLACEHOLDER_OWNER: Address = '0x1111111111111111111111111111111111111111';

const libraryAccount = (owners: readonly Address[]) =>
  SafeSmartAccount.toSafeSmartAccount({
    client: OFFLINE,
    owners: owners.map(ownerWithoutKey),
    version: SAFE.version,
    entryPoint: { address: ENTRY_POINT, version: '0.7' },
    saltNonce: SAFE.saltNonce,
    safeSingletonAddress: SAFE.singleton,
    safeProxyFactoryAddress: SAFE.proxyFactory,
    safeModuleSetupAddress: SAFE.moduleSetup,
    safe4337ModuleAddress: SAFE.module4337,
    multiSendCallOnlyAddress: SAFE.multiSendCallOnly,
    // Safe's own kit sets accounts up without MultiSend too, which determines the address.
    useMultiSendForSetup: false,
  });

/** An owner account that cannot sign: the customer has the key. */
const ownerWithoutKey = (address: Address) =>
  toAccount({ address, signMessage: cannotSign, signTransaction: cannotSign, signTypedData: cannotSign });

function cannotSign(): never {
  throw new InvariantError('the account has no key in the service');
}

/** A client without a network. It returns constants for the only two requests that the derivation of an address makes. */
const OFFLINE = createClient({
  transport: custom({
    request: ({ method }: { readonly method: string }) => {
      if (method === 'eth_getCode') return Promise.resolve('0x'); // accounts are derived as not deployed
      if (method === 'eth_call')
        return Promise.resolve(encodeAbiParameters([{ type: 'bytes' }], [PROXY_CREATION_CODE]));
      return Promise.reject(new InvariantError(`a Safe was derived with ${method}`));
    },
  }),
});
