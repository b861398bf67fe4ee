import { type Address, encodeAbiParameters, encodeEventTopics, encodeFunctionData, type Hex, numberToHex } from 'viem';
import { entryPoint07Abi } from 'viem/account-abstraction';
import { ENTRY_POINT } from '../../src/smart-accounts/safe-contracts';
import type { ScriptedTransaction } from './scripted-chain';

export interface ScriptedOperation {
  readonly account: Address;
  readonly callData: Hex;
  /** 0 by default. */
  readonly nonce?: bigint;
}

const BUNDLER: Address = `0x${'b0'.repeat(20)}`;
const WORD: Hex = numberToHex(0n, { size: 32 });

/** Hash of a scripted operation: its account and nonce. */
export const hashOf = ({ account, nonce = 0n }: Pick<ScriptedOperation, 'account' | 'nonce'>): Hex =>
  `0x${account.slice(2, 10)}${numberToHex(nonce, { size: 28 }).slice(2)}`;

/** A transaction of a bundler that executes user operations, with their events. */
export function bundleOf(operations: readonly ScriptedOperation[]): ScriptedTransaction {
  const packed = operations.map(({ account: sender, callData, nonce = 0n }) => ({
    sender,
    nonce,
    initCode: '0x' as const,
    callData,
    accountGasLimits: WORD,
    preVerificationGas: 0n,
    gasFees: WORD,
    paymasterAndData: '0x' as const,
    signature: '0x' as const,
  }));
  const logs = operations.map((operation) => ({
    address: ENTRY_POINT,
    topics: encodeEventTopics({
      abi: entryPoint07Abi,
      eventName: 'UserOperationEvent',
      args: { userOpHash: hashOf(operation), sender: operation.account, paymaster: BUNDLER },
    }) as Hex[],
    data: encodeAbiParameters(
      [{ type: 'uint256' }, { type: 'bool' }, { type: 'uint256' }, { type: 'uint256' }],
      [operation.nonce ?? 0n, true, 0n, 0n],
    ),
  }));
  const input = encodeFunctionData({ abi: entryPoint07Abi, functionName: 'handleOps', args: [packed, BUNDLER] });
  return { from: BUNDLER, to: ENTRY_POINT, input, logs };
}
