import {
  type Address,
  createWalletClient,
  erc20Abi,
  type Hex,
  http,
  parseAbi,
  parseEther,
  parseEventLogs,
  publicActions,
  type TransactionReceipt,
} from 'viem';
import { entryPoint07Abi, entryPoint07Address } from 'viem/account-abstraction';
import { privateKeyToAccount } from 'viem/accounts';
import { isNativeToken } from '../../src/chains/addresses';
import { invariant } from '../../src/errors/invariant-error';
import type { UserOperationView } from '../../src/transactions/execution/user-operation/user-operation-view';
import { type LocalWallet, sendBundle, sendCall, signUserOperation } from '../../test/smart-accounts/local-operations';
import { type Calls, callsSchema } from '../demo/wallet';
import type { PoolChain } from './pools';
import { type Execution, quotedCalls } from './wire-schemas';

/** The forms in which the service returns an executable swap on an EVM chain. */
export const EVM_OUTPUTS = ['transaction', 'bytecode', 'userOperation', 'custody'] as const;
export type EvmOutput = (typeof EVM_OUTPUTS)[number];

const GAS = 8_000_000n;
const entryPointBalance = parseAbi(['function balanceOf(address) view returns (uint256)']);

/** A sent swap. */
export interface Sent {
  readonly blockNumber: bigint;
  /** Paid by the wallet, in wei. */
  readonly gas: bigint;
}

/** A wallet of the customer: an account with a key, or a smart account that it owns. */
export interface EvmWallet {
  readonly address: Address;
  /** Base units. The native coin includes the deposit at the EntryPoint, from which gas is paid. */
  balanceOf(token: string): Promise<bigint>;
  /** Signs and sends what the service returned. */
  send(execution: Execution): Promise<Sent>;
}

export interface WalletOptions {
  readonly chain: PoolChain;
  readonly key: Hex;
  readonly output: EvmOutput;
}

/** A wallet that signs its own transactions, from the calls of an execution, or from the bodies for a custody vault. */
export function createKeyWallet({ chain, key, output }: WalletOptions): EvmWallet {
  const signer = signerOf(chain, key);
  return {
    address: signer.account.address,
    balanceOf: (token) => balanceOf(chain, token, signer.account.address),
    async send(execution) {
      let gas = 0n;
      let blockNumber = 0n;
      for (const { to, data, value } of callsOf(execution, output)) {
        const receipt = await sendCall(signer, { to, data, value: BigInt(value), gas: GAS });
        invariant(receipt.status === 'success', `the transaction ${receipt.transactionHash} reverted`);
        gas += receipt.gasUsed * receipt.effectiveGasPrice;
        blockNumber = receipt.blockNumber;
      }
      return { gas, blockNumber };
    },
  };
}

/** A smart account, whose operations a bundler sends. */
export function createSmartWallet(
  { chain, key }: Omit<WalletOptions, 'output'>,
  { address, bundlerKey }: { readonly address: Address; readonly bundlerKey: Hex },
): EvmWallet {
  const bundler = signerOf(chain, bundlerKey);
  return {
    address,
    async balanceOf(token) {
      const own = await balanceOf(chain, token, address);
      if (!isNativeToken(token)) return own;
      const deposit = {
        address: entryPoint07Address,
        abi: entryPointBalance,
        functionName: 'balanceOf',
        args: [address],
      } as const;
      return own + (await chain.client.readContract(deposit));
    },
    async send({ userOperation }) {
      const signed = await signUserOperation(userOperation as UserOperationView, privateKeyToAccount(key));
      const receipt = await sendBundle(bundler, [signed], { gas: GAS });
      return { gas: operationGas(receipt), blockNumber: receipt.blockNumber };
    },
  };
}

function operationGas({ logs, status, transactionHash }: TransactionReceipt): bigint {
  const [event] = parseEventLogs({ abi: entryPoint07Abi, eventName: 'UserOperationEvent', logs });
  invariant(status === 'success' && event?.args.success === true, `the operation of ${transactionHash} failed`);
  return event.args.actualGasCost;
}

const signerOf = (chain: PoolChain, key: Hex): LocalWallet =>
  createWalletClient({ account: privateKeyToAccount(key), transport: http(chain.rpcUrl) }).extend(publicActions);

function callsOf({ custody, transactionData }: Execution, output: EvmOutput): Calls {
  if (output !== 'custody') {
    const quoted = quotedCalls.safeParse(transactionData);
    return quoted.success ? quoted.data : callsSchema.parse(transactionData);
  }
  return (custody ?? []).map(({ destination, amount, extraParameters }) => ({
    to: destination.oneTimeAddress.address,
    data: extraParameters.contractCallData,
    value: parseEther(amount).toString(),
  }));
}

const balanceOf = ({ client }: PoolChain, token: string, owner: Address): Promise<bigint> =>
  isNativeToken(token)
    ? client.getBalance({ address: owner })
    : client.readContract({ address: token as Address, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });
