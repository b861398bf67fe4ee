import type { TransactionReceipt } from 'viem';
import { decodeAccountCalls } from '../../../smart-accounts/safe-account';
import { ENTRY_POINT } from '../../../smart-accounts/safe-contracts';
import type { MovedAmounts } from '../../state/settle-confirmed-step';
import { spendsInput } from '../moved-tokens';
import { readOutput } from '../read-output';
import { recordConfirmedStep } from '../record-confirmed-step';
import { failRevertedStep } from '../fail-reverted-step';
import type { MinedEffects } from '../../amounts/mined-effects';
import { readSpent } from '../../amounts/read-spent';
import { isRequestCall } from '../../amounts/requested-amount';
import { swapShortfall } from '../swap-shortfall';
import { resetReorgedStep } from '../relocate-step';
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
export async function confirmOrFailOperation(
  deps: TrackerDeps,
  step: SubmittedStep,
  receipt: TransactionReceipt,
): Promise<void> {
  const operations = executedOperations(receipt);
  const executed = operations.find((each) => each.userOperationHash === step.userOperationHash);
  if (executed === undefined) return resetReorgedStep(deps, step);
  const client = deps.rpc.client(step.chainId);
  const transaction = await client.getTransaction({ hash: receipt.transactionHash });
  const operation = operationsIn(transaction).find(
    ({ sender, nonce }) => sender === executed.sender && nonce === executed.nonce,
  );
  if (executed.success) {
    const isOnly = operations.filter(({ sender }) => sender === executed.sender).length === 1;
    const moved = await readMoved(deps, step, { receipt, executed, operation, isOnly });
    return recordConfirmedStep(deps.database, step, moved);
  }
  const { revertData } = executed;
  const { blockNumber } = receipt;
  const failure =
    operation === undefined
      ? { reason: 'The user operation reverted', substatus: undefined }
      : await explainOperation(client, { operation, revertData, blockNumber });
  return failRevertedStep(deps.database, step, failure);
}

interface CarriedOutOperation {
  readonly receipt: TransactionReceipt;
  readonly executed: ExecutedOperation;
  readonly operation: BundledOperation | undefined;
  /** False when the bundle contains other operations of the account: its balance shows all of them together. */
  readonly isOnly: boolean;
}

async function readMoved(
  deps: TrackerDeps,
  step: SubmittedStep,
  carriedOut: CarriedOutOperation,
): Promise<MovedAmounts> {
  const { action, chainId } = step;
  const client = deps.rpc.client(chainId);
  const wrappedNative = deps.chains.get(chainId).wrappedNative;
  const sold = { token: action.tokenIn, owner: action.originAddress, wrappedNative, quoted: action.amountIn };
  const call = decisiveCall(carriedOut, step);
  const received = await readOutput(client, { step, mined: call }, { wrappedNative });
  return {
    spent: spendsInput(step) ? await readSpent(client, call, sold) : undefined,
    received,
    shortfall: swapShortfall(step, { received, wrappedNative }),
  };
}

/** The call that the others prepare: a request, the one to the receiver, or else the last one; with the events of all calls. */
function decisiveCall(
  { receipt, executed, operation, isOnly }: CarriedOutOperation,
  { kind, action }: SubmittedStep,
): MinedEffects {
  const calls = (operation === undefined ? undefined : decodeAccountCalls(operation.callData)) ?? [];
  const direct = calls.find((call) =>
    kind === 'REQUEST' ? isRequestCall(call) : isSameAddress(call.to, action.receiverAddress),
  );
  const { to = null, value = 0n } = direct ?? calls.at(-1) ?? {};
  const { sender: from, gas, logs } = executed;
  const { transactionHash: txHash, blockNumber, from: sentBy } = receipt;
  const place = { txHash, blockNumber, from, sentBy, entryPoint: ENTRY_POINT };
  return { ...place, to, value, logs, gas: isOnly ? gas : undefined };
}
