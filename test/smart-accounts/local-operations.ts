import {
  type Address,
  concatHex,
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
import { entryPoint07Abi, formatUserOperation, toPackedUserOperation } from 'viem/account-abstraction';
import { privateKeyToAccount } from 'viem/accounts';
import type { DevnetAccount } from '../../devnet/accounts';
import type { DevnetChain } from '../../devnet/universe';
import type { UserOperationView } from '../../src/transactions/user-operation/operation-view';
import { localToken } from '../contract/local-swaps';

/** A wallet of a local chain that sends transactions: to an account, or as a bundler. */
export function walletOn(chain: DevnetChain, account: DevnetAccount) {
  const transport = http(chain.rpcUrl);
  return createWalletClient({ account: privateKeyToAccount(account.privateKey), transport }).extend(publicActions);
}

export type LocalWallet = ReturnType<typeof walletOn>;

export async function send(
  wallet: LocalWallet,
  call: { readonly to: Address; readonly data?: Hex; readonly value?: bigint; readonly gas?: bigint },
): Promise<TransactionReceipt> {
  const hash = await wallet.sendTransaction({ chain: null, gas: 5_000_000n, ...call });
  return wallet.waitForTransactionReceipt({ hash, pollingInterval: 20 });
}

/** Gives some of a token, or of the native coin, to an account. */
export async function fund(
  { chain, wallet }: { readonly chain: DevnetChain; readonly wallet: LocalWallet },
  { account, symbol, amount }: { readonly account: Address; readonly symbol: string; readonly amount: bigint },
): Promise<void> {
  if (symbol === 'ETH') return void (await send(wallet, { to: account, value: amount }));
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [account, amount] });
  await send(wallet, { to: localToken(chain, symbol).address as Address, data });
}

/** The operation as its owner signs what was handed out, from the JSON alone. */
export async function signed(view: UserOperationView, owner: LocalAccount): Promise<UserOperationView> {
  const { typedData, signature } = JSON.parse(JSON.stringify(view)) as UserOperationView;
  const own = await owner.signTypedData(typedData as never);
  return { ...view, signature: concatHex([slice(signature, 0, 12), own]) };
}

/** Calldata of the bundle of these operations. */
export function bundleOf(operations: readonly UserOperationView[], beneficiary: Address): Hex {
  const packed = operations.map((view) => toPackedUserOperation(formatUserOperation(view)));
  return encodeFunctionData({ abi: entryPoint07Abi, functionName: 'handleOps', args: [packed, beneficiary] });
}

/** Hands operations to the EntryPoint, as bundlers do. */
export function bundle(
  wallet: LocalWallet,
  operations: readonly UserOperationView[],
  options: { readonly gas?: bigint } = {},
): Promise<TransactionReceipt> {
  const [first] = operations;
  if (first === undefined) throw new Error('a bundle needs an operation');
  return send(wallet, { to: first.entryPoint, data: bundleOf(operations, wallet.account.address), ...options });
}
