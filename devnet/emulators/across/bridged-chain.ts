import {
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type EncodeFunctionDataParameters,
  type Hex,
  http,
  type PublicClient,
  type TransactionReceipt,
} from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { DevnetError } from '../../devnet-error';
import { spokePoolAbi } from './spoke-pool';

export interface BridgedToken {
  readonly address: Address;
  readonly symbol: string;
  readonly decimals: number;
}

/** A chain that the emulator bridges to and from. */
export interface BridgedChainOptions {
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly spokePool: Address;
  /** Runs the messages of deposits; without it only what needs none is bridged. */
  readonly multicallHandler?: Address | undefined;
  /** Bridged tokens; tokens of the same symbol are the same token. */
  readonly tokens: readonly BridgedToken[];
}

type WriteName = ContractFunctionName<typeof spokePoolAbi, 'nonpayable' | 'payable'>;

/** A call of one function of the SpokePool that changes something. */
export interface SpokePoolCall<Name extends WriteName = WriteName> {
  readonly key: Hex;
  readonly functionName: Name;
  readonly args: ContractFunctionArgs<typeof spokePoolAbi, 'nonpayable' | 'payable', Name>;
}

export interface BridgedChain extends BridgedChainOptions {
  readonly client: PublicClient;
  /** Sends a call to the SpokePool and waits for its receipt. @throws DevnetError when it reverts, before it is sent if possible. */
  call<Name extends WriteName>(call: SpokePoolCall<Name>): Promise<TransactionReceipt>;
  /** Sends anything else. @throws DevnetError when it reverts. */
  send(transaction: { key: Hex; to: Address; data?: Hex }): Promise<TransactionReceipt>;
  /** Time of the newest block, in Unix seconds. */
  now(): Promise<bigint>;
}

export function openBridgedChain(options: BridgedChainOptions): BridgedChain {
  const transport = http(options.rpcUrl);
  const client: PublicClient = createPublicClient({ transport, pollingInterval: 20, cacheTime: 0 });
  const accounts = new Map<Hex, PrivateKeyAccount>();
  const send: BridgedChain['send'] = async ({ key, to, data = '0x' }) => {
    const account = accounts.get(key) ?? privateKeyToAccount(key);
    accounts.set(key, account);
    await client.call({ account, to, data }); // fails with the reason, before gas is spent
    const wallet = createWalletClient({ account, transport });
    const hash = await wallet.sendTransaction({ to, data, chain: null });
    const receipt = await client.waitForTransactionReceipt({ hash, timeout: 10_000 });
    if (receipt.status !== 'success') throw new DevnetError(`a transaction of the bridge reverted: ${hash}`);
    return receipt;
  };
  return {
    ...options,
    client,
    send,
    call: async ({ key, functionName, args }) => {
      const data = encodeFunctionData({ abi: spokePoolAbi, functionName, args } as EncodeFunctionDataParameters);
      return send({ key, to: options.spokePool, data });
    },
    now: async () => (await client.getBlock()).timestamp,
  };
}
