import { type Hex, type Log, parseEventLogs, type TransactionReceipt } from 'viem';
import { entryPoint07Abi } from 'viem/account-abstraction';
import { ENTRY_POINT } from '../../../smart-accounts/safe-contracts';
import { isSameAddress } from '../../../chains/addresses';

/** What became of a user operation. Its bundle succeeds whatever its operations do. */
export interface ExecutedOperation {
  readonly userOperationHash: Hex;
  /** Lower case. */
  readonly sender: string;
  readonly nonce: bigint;
  readonly success: boolean;
  /** What the account's calls reverted with; `undefined` when they did not, or said nothing. */
  readonly revertData: Hex | undefined;
  /** The events of this operation alone. */
  readonly logs: readonly Log[];
}

const EVENTS = ['BeforeExecution', 'UserOperationEvent', 'UserOperationRevertReason'] as const;

/**
 * The operations that a mined bundle executed, in their order. One that is in the bundle and not here was not executed
 * at all: its bundle reverted.
 */
export function executedOperations({ status, logs }: TransactionReceipt): readonly ExecutedOperation[] {
  if (status !== 'success') return [];
  const own = logs.filter(({ address }) => isSameAddress(address, ENTRY_POINT));
  const events = parseEventLogs({ abi: entryPoint07Abi, eventName: [...EVENTS], logs: own });
  const executed: ExecutedOperation[] = [];
  // Operations are executed one after the other, each up to its UserOperationEvent.
  let [from, revertData]: [number, Hex | undefined] = [0, undefined];
  for (const event of events) {
    if (event.eventName === 'UserOperationRevertReason') revertData = event.args.revertReason;
    if (event.eventName === 'UserOperationEvent') {
      const { userOpHash: userOperationHash, sender, nonce, success } = event.args;
      const between = logs.filter(({ logIndex }) => logIndex >= from && logIndex <= event.logIndex);
      executed.push({ userOperationHash, sender: sender.toLowerCase(), nonce, success, revertData, logs: between });
    }
    if (event.eventName !== 'UserOperationRevertReason') [from, revertData] = [event.logIndex + 1, undefined];
  }
  return executed;
}
