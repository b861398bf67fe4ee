import {
  type Address,
  BaseError,
  concatHex,
  ContractFunctionRevertedError,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  type LocalAccount,
  publicActions,
  slice,
  type TransactionReceipt,
} from 'viem';
import {
  entryPoint07Abi,
  entryPoint07Address,
  formatUserOperation,
  type PackedUserOperation,
  toPackedUserOperation,
} from 'viem/account-abstraction';
import { privateKeyToAccount } from 'viem/accounts';
import { minedReceipt } from '../setup/mined-receipt';
import type { DevnetAccount } from '../../devnet/accounts';
import { createJsonRpc } from '../../devnet/json-rpc';
import type { DevnetChain } from '../../devnet/universe';
import type { UserOperationView } from '../../src/transactions/execution/user-operation/user-operation-view';
import { localToken } from '../contract/local-swaps';

/** A wallet of a local chain that funds accounts and bundles operations. */
export function walletOn(chain: DevnetChain, account: DevnetAccount) {
  const transport = http(chain.rpcUrl);
  return createWalletClient({ account: privateKeyToAccount(account.privateKey), transport }).extend(publicActions);
}

/** Sets the code of an address on a local chain. */
export const putCode = (chain: DevnetChain, address: Address, code: Hex): Promise<unknown> =>
  createJsonRpc(chain.rpcUrl).call('anvil_setCode', [address, code]);

export type LocalWallet = ReturnType<typeof walletOn>;

export async function sendCall(
  wallet: LocalWallet,
  call: { readonly to: Address; readonly data?: Hex; readonly value?: bigint; readonly gas?: bigint },
): Promise<TransactionReceipt> {
  const hash = await wallet.sendTransaction({ chain: null, gas: 5_000_000n, ...call });
  return minedReceipt(wallet, hash);
}

/** Sends a token or the native coin to an account. */
export async function fund(
  { chain, wallet }: { readonly chain: DevnetChain; readonly wallet: LocalWallet },
  { account, symbol, amount }: { readonly account: Address; readonly symbol: string; readonly amount: bigint },
): Promise<void> {
  if (symbol === 'ETH') {
    await sendCall(wallet, { to: account, value: amount });
    return;
  }
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [account, amount] });
  await sendCall(wallet, { to: localToken(chain, symbol).address as Address, data });
}

/** Signs an operation as its owner, from its JSON only. */
export async function signUserOperation(view: UserOperationView, owner: LocalAccount): Promise<UserOperationView> {
  const { typedData, signature } = JSON.parse(JSON.stringify(view)) as UserOperationView;
  const own = await owner.signTypedData(typedData);
  return { ...view, signature: concatHex([slice(signature, 0, 12), own]) };
}

/** Encodes the calldata of a bundle. */
export function encodeBundle(operations: readonly UserOperationView[], beneficiary: Address): Hex {
  const packed = operations.map(toPackedOperation);
  return encodeFunctionData({ abi: entryPoint07Abi, functionName: 'handleOps', args: [packed, beneficiary] });
}

/** Sends operations to the EntryPoint like a bundler. */
export function sendBundle(
  wallet: LocalWallet,
  operations: readonly UserOperationView[],
  options: { readonly gas?: bigint } = {},
): Promise<TransactionReceipt> {
  const [first] = operations;
  if (first === undefined) throw new Error('a bundle needs an operation');
  return sendCall(wallet, {
    to: first.entryPoint,
    data: encodeBundle(operations, wallet.account.address),
    ...options,
  });
}

export const toPackedOperation = (view: UserOperationView): PackedUserOperation =>
  toPackedUserOperation(formatUserOperation(view));

/** The `AA…` code with which the EntryPoint rejects the operation; `undefined` when it accepts it. */
export async function readEntryPointError(wallet: LocalWallet, view: UserOperationView): Promise<string | undefined> {
  const call = { address: entryPoint07Address, abi: entryPoint07Abi, functionName: 'handleOps' } as const;
  try {
    await wallet.simulateContract({ ...call, args: [[toPackedOperation(view)], wallet.account.address] });
    return undefined;
  } catch (error) {
    const reverted = error instanceof BaseError && error.walk((each) => each instanceof ContractFunctionRevertedError);
    if (!(reverted instanceof ContractFunctionRevertedError)) throw error;
    return String(reverted.data?.args?.[1]);
  }
}

/** The operation with other fields, and typed data that match them. */
export const withChanges = (
  view: UserOperationView,
  fields: Partial<UserOperationView>,
  message: Readonly<Record<string, string>>,
): UserOperationView => ({
  ...view,
  ...fields,
  typedData: { ...view.typedData, message: { ...view.typedData.message, ...message } },
});
