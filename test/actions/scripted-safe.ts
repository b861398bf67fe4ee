import {
  type Address,
  concatHex,
  encodeFunctionData,
  encodePacked,
  type Hex,
  pad,
  parseAbi,
  size,
  toEventSelector,
  zeroAddress,
} from 'viem';
import { PROXY_CODE, SAFE } from '../../src/smart-accounts/safe-contracts';
import type { RpcCall, ScriptedTransaction } from './scripted-chain';

export interface ScriptedSafeCall {
  readonly to: Address;
  readonly data: Hex;
  readonly value?: bigint;
}

interface SafeExecution {
  readonly safe: Address;
  /** One call, or a batch of several. */
  readonly calls: readonly ScriptedSafeCall[];
  /** Whether the calls succeeded; `reverted` for the whole transaction. */
  readonly outcome?: 'success' | 'failure' | 'reverted';
  /** Contract whose code makes a batch. */
  readonly multiSend?: Address;
}

const abi = parseAbi([
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) payable returns (bool)',
  'function multiSend(bytes transactions)',
]);
const EVENTS = {
  success: toEventSelector('ExecutionSuccess(bytes32,uint256)'),
  failure: toEventSelector('ExecutionFailure(bytes32,uint256)'),
};
const OWNER: Address = `0x${'0e'.repeat(20)}`;
const WORD: Hex = pad('0x');

/** Calldata of a batch. */
export const batchOf = (calls: readonly ScriptedSafeCall[], operation = 0): Hex =>
  encodeFunctionData({
    abi,
    functionName: 'multiSend',
    args: [
      concatHex(
        calls.map(({ to, data, value = 0n }) =>
          encodePacked(
            ['uint8', 'address', 'uint256', 'uint256', 'bytes'],
            [operation, to, value, BigInt(size(data)), data],
          ),
        ),
      ),
    ],
  });

/** Calldata of `execTransaction`. The signature is that of an owner which sends the transaction itself. */
export function executionOf({ to, data, value = 0n }: ScriptedSafeCall, operation: 0 | 1 = 0, owner = OWNER): Hex {
  const signature = concatHex([pad(owner), WORD, '0x01']);
  const args = [to, value, data, operation, 0n, 0n, 0n, zeroAddress, zeroAddress, signature] as const;
  return encodeFunctionData({ abi, functionName: 'execTransaction', args });
}

/** A transaction of an owner of a Safe, with the event of its outcome. */
export function safeTransaction(execution: SafeExecution): ScriptedTransaction {
  const { safe, calls, outcome = 'success', multiSend = SAFE.multiSendCallOnly } = execution;
  const [first] = calls;
  const input =
    calls.length === 1 && first !== undefined
      ? executionOf(first)
      : executionOf({ to: multiSend, data: batchOf(calls) }, 1);
  const common = { from: OWNER, to: safe, input };
  if (outcome === 'reverted') return { ...common, reverted: true };
  return { ...common, logs: [{ address: safe, topics: [EVENTS[outcome]], data: concatHex([WORD, WORD]) }] };
}

/** Responses of a node on which an account is a Safe. */
export const safeState =
  (
    safe: Address,
    { code = PROXY_CODE, singleton = SAFE.singleton }: { readonly code?: Hex; readonly singleton?: Address } = {},
  ) =>
  ({ method, params: [address] }: RpcCall): unknown => {
    if (String(address).toLowerCase() !== safe.toLowerCase()) return undefined;
    if (method === 'eth_getCode') return { result: code };
    return method === 'eth_getStorageAt' ? { result: pad(singleton) } : undefined;
  };
