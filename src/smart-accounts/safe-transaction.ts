import {
  type Address,
  decodeFunctionData,
  getAddress,
  type Hex,
  pad,
  parseAbi,
  type PublicClient,
  slice,
  toEventSelector,
  type TransactionReceipt,
} from 'viem';
import { isSameAddress } from '../chains/addresses';
import { decodeMultiSend, type SmartAccountCall } from './safe-account';
import { PROXY_CODE, SAFE_MULTI_SENDS, SAFE_SINGLETONS } from './safe-contracts';

const EXECUTION = parseAbi([
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) payable returns (bool)',
]);
const [CALL, DELEGATE_CALL] = [0, 1];

/**
 * Decodes the calls that a transaction to a Safe makes from it, in order: one, or those of a batch. `undefined` for other
 * calldata, and when the Safe runs the code of any contract but a batch.
 *
 * @see https://github.com/safe-global/safe-smart-account/blob/v1.4.1/contracts/Safe.sol
 */
export function decodeSafeTransaction(input: Hex): readonly SmartAccountCall[] | undefined {
  try {
    const [to, value, data, operation] = decodeFunctionData({ abi: EXECUTION, data: input }).args;
    if (operation === CALL) return [{ to, value, data }];
    return operation === DELEGATE_CALL && SAFE_MULTI_SENDS.has(to) ? decodeMultiSend(data) : undefined;
  } catch {
    return undefined; // any account can send malformed calldata to a Safe
  }
}

const SUCCESS = toEventSelector('ExecutionSuccess(bytes32,uint256)');
const FAILURE = toEventSelector('ExecutionFailure(bytes32,uint256)');

/**
 * True when a mined transaction to a Safe made its calls. A transaction may succeed although its calls reverted: the event
 * of the Safe states it. Inner transactions of the same Safe end before, hence the last event counts.
 */
export function hasSafeExecuted(
  { status, logs }: Pick<TransactionReceipt, 'status' | 'logs'>,
  safe: string | null,
): boolean {
  const outcome = logs.findLast(
    ({ address, topics }) => isSameAddress(address, safe) && (topics[0] === SUCCESS || topics[0] === FAILURE),
  );
  return status === 'success' && outcome?.topics[0] === SUCCESS;
}

/**
 * True when an account was a Safe of a recognised version before and after a block: its calldata then states what it did.
 * Any contract may have a function `execTransaction` and emit these events.
 *
 * @throws when the node does not respond, or no longer has the state of the block
 */
export async function wasSafeAt(client: PublicClient, account: Address, blockNumber: bigint): Promise<boolean> {
  const blocks = blockNumber === 0n ? [blockNumber] : [blockNumber - 1n, blockNumber];
  const results = await Promise.all(blocks.map((block) => isSafe(client, account, block)));
  return results.every(Boolean);
}

async function isSafe(client: PublicClient, address: Address, blockNumber: bigint): Promise<boolean> {
  const [code, slot] = await Promise.all([
    client.getCode({ address, blockNumber }),
    client.getStorageAt({ address, slot: '0x0', blockNumber }),
  ]);
  if (code?.startsWith(PROXY_CODE) !== true || slot === undefined) return false;
  return SAFE_SINGLETONS.has(getAddress(slice(pad(slot), 12)));
}
