import type { Transaction, TransactionReceipt } from 'viem';
import type { Database } from '../../../persistence/database';
import { operationsIn } from './bundle';
import { executedOperations } from './executed-operations';
import { intendedActions } from './intended-actions';

/** A step of an action that an operation in a bundle carried out. */
export interface ReportedOperation {
  readonly stepIndex: number;
  readonly userOperationHash: string;
  readonly reverted: boolean;
}

export interface ReportedBundle {
  readonly to: Transaction['to'];
  readonly input: Transaction['input'];
  readonly receipt: TransactionReceipt;
}

/**
 * Finds the operation in a bundle that is identical to one issued for the action: the one that was built for it, or else one
 * that was built for no other action.
 */
export async function findReportedOperation(
  database: Database,
  action: { readonly id: string; readonly chainId: number },
  bundle: ReportedBundle,
): Promise<ReportedOperation | undefined> {
  const { id: actionId, chainId } = action;
  const executed = executedOperations(bundle.receipt);
  const calls = await database.actionCall.findMany({
    where: { actionId, chainId, form: 'USER_OPERATION' },
    select: { stepIndex: true, sender: true, dataHash: true },
  });
  const identical = operationsIn(bundle).flatMap((operation) => {
    const { sender, nonce, dataHash } = operation;
    const result = executed.find((each) => each.sender === sender && each.nonce === nonce);
    const call = calls.find((each) => each.sender === sender && dataHash.equals(each.dataHash));
    return result === undefined || call === undefined ? [] : [{ operation, result, stepIndex: call.stepIndex }];
  });
  const intended = await intendedActions(
    database,
    chainId,
    identical.map(({ operation }) => operation),
  );
  const found =
    identical.find(({ operation }) => intended.get(operation) === actionId) ??
    identical.find(({ operation }) => !intended.has(operation));
  if (found === undefined) return undefined;
  const { userOperationHash, success } = found.result;
  return { stepIndex: found.stepIndex, userOperationHash, reverted: !success };
}
