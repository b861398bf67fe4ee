import type { TransactionReceipt } from 'viem';
import { decodeAccountCalls } from '../../../smart-accounts/safe-account';
import type { MovedAmounts } from '../../state/settle-confirmed-step';
import { recordConfirmedStep } from '../record-confirmed-step';
import { recordFailedStep } from '../record-failed-step';
import { amountReceived, amountSpent, type TransactionEffects } from '../../amounts/moved-amounts';
import { swapShortfall } from '../swap-shortfall';
import { loseOrigin } from '../relocate-step';
import type { SubmittedStep } from '../submitted-steps';
import type { TrackerDeps } from '../tracker-deps';
import { type BundledOperation, operationsIn } from './bundle';
import { executedOperations, type ExecutedOperation } from './executed-operations';
import { explainOperation } from './explain-operation';
import { isSameAddress } from '../../../chains/addresses';

/**
 * Ends a step whose bundle is final with the result of its own operation. When the bundle was mined again without
 * executing the operation, the step waits for another bundle.
 */
export async function settleOperation(
  deps: TrackerDeps,
  step: SubmittedStep,
  receipt: TransactionReceipt,
): Promise<void> {
  const executed = executedOperations(receipt).find((each) => each.userOperationHash === step.userOperationHash);
  if (executed === undefined) return loseOrigin(deps, step);
  const client = deps.rpc.client(step.chainId);
  const transaction = await client.getTransaction({ hash: receipt.transactionHash });
  const operation = operationsIn(transaction).find(
    ({ sender, nonce }) => sender === executed.sender && nonce === executed.nonce,
  );
  if (executed.success) return recordConfirmedStep(deps.database, step, movedBy(deps, step, { executed, operation }));
  const { revertData } = executed;
  const { blockNumber } = receipt;
  const failure =
    operation === undefined
      ? { reason: 'The user operation reverted', substatus: undefined }
      : await explainOperation(client, { operation, revertData, blockNumber });
  return recordFailedStep(deps.database, step, failure);
}

interface CarriedOutOperation {
  readonly executed: ExecutedOperation;
  readonly operation: BundledOperation | undefined;
}

function movedBy(deps: TrackerDeps, step: SubmittedStep, carriedOut: CarriedOutOperation): MovedAmounts {
  const { action, chainId } = step;
  const wrappedNative = deps.chains.get(chainId).wrappedNative;
  const spent = { token: action.tokenIn, owner: action.originAddress, wrappedNative };
  const bought = { token: action.tokenOut, owner: action.receiverAddress, wrappedNative };
  const call = decisiveCall(carriedOut, action.receiverAddress);
  const received = chainId === action.chainIdOut ? amountReceived(call, bought) : undefined;
  return {
    spent: chainId === action.chainIdIn ? amountSpent(call, spent) : undefined,
    received,
    shortfall: swapShortfall(step, { received, wrappedNative }),
  };
}

/** The call that the others prepare: the one to the receiver, or else the last one; with the events of all calls. */
function decisiveCall({ executed: { logs }, operation }: CarriedOutOperation, receiver: string): TransactionEffects {
  const calls = (operation === undefined ? undefined : decodeAccountCalls(operation.callData)) ?? [];
  const direct = calls.find(({ to }) => isSameAddress(to, receiver));
  const { to = null, value = 0n } = direct ?? calls.at(-1) ?? {};
  return { to, value, logs };
}
