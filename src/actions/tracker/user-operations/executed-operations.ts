import { type Hex, type Log, parseEventLogs, type TransactionReceipt, zeroAddress } from 'viem';
import { entryPoint07Abi } from 'viem/account-abstraction';
import { ENTRY_POINT } from '../../../smart-accounts/safe-contracts';
import { isSameAddress } from '../../../chains/addresses';
import type { GasPayment } from '../../amounts/mined-effects';

/** The result of a user operation. A bundle succeeds even when its operations revert. */
export interface ExecutedOperation {
  readonly userOperationHash: Hex;
  /** Lower case. */
  readonly sender: string;
  readonly nonce: bigint;
  readonly success: boolean;
  /** Revert data of the account's calls; `undefined` when they succeeded or reverted without data. */
  readonly revertData: Hex | undefined;
  /** The account's own payment from its deposit, or that of its paymaster. */
  readonly gas: GasPayment;
  /** The events of this operation alone. */
  readonly logs: readonly Log[];
}

const EVENTS = ['BeforeExecution', 'UserOperationEvent', 'UserOperationRevertReason'] as const;

/** The operations that a mined bundle executed, in their order; empty for a bundle that reverted. */
export function executedOperations({ status, logs }: TransactionReceipt): readonly ExecutedOperation[] {
  if (status !== 'success') return [];
  const own = logs.filter(({ address }) => isSameAddress(address, ENTRY_POINT));
  const events = parseEventLogs({ abi: entryPoint07Abi, eventName: [...EVENTS], logs: own });
  const executed: ExecutedOperation[] = [];
  // Operations are executed one after the other; each ends with its UserOperationEvent.
  let [from, revertData]: [number, Hex | undefined] = [0, undefined];
  for (const event of events) {
    if (event.eventName === 'UserOperationRevertReason') revertData = event.args.revertReason;
    if (event.eventName === 'UserOperationEvent') {
      const { userOpHash: userOperationHash, sender: account, nonce, success, paymaster, actualGasCost } = event.args;
      const between = logs.filter(({ logIndex }) => logIndex >= from && logIndex <= event.logIndex);
      const sender = account.toLowerCase();
      const gas = { payer: paymaster === zeroAddress ? sender : paymaster, cost: actualGasCost };
      executed.push({ userOperationHash, sender, nonce, success, revertData, gas, logs: between });
    }
    if (event.eventName !== 'UserOperationRevertReason') [from, revertData] = [event.logIndex + 1, undefined];
  }
  return executed;
}
