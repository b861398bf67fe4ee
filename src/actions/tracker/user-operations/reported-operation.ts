import type { Transaction, TransactionReceipt } from 'viem';
import type { Database } from '../../../persistence/database';
import { operationsIn } from './bundle';
import { executedOperations } from './executed-operations';

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

/** Finds the operation in a bundle that is identical to one issued for the action. */
export async function findReportedOperation(
  database: Database,
  action: { readonly id: string; readonly chainIdIn: number },
  bundle: ReportedBundle,
): Promise<ReportedOperation | undefined> {
  const executed = executedOperations(bundle.receipt);
  const mined = operationsIn(bundle).flatMap(({ sender, nonce, dataHash }) => {
    const result = executed.find((each) => each.sender === sender && each.nonce === nonce);
    return result === undefined ? [] : [{ ...result, dataHash }];
  });
  if (mined.length === 0) return undefined;
  const calls = await database.actionCall.findMany({
    where: { actionId: action.id, chainId: action.chainIdIn, form: 'USER_OPERATION' },
    select: { stepIndex: true, sender: true, dataHash: true },
  });
  for (const { sender, dataHash, userOperationHash, success } of mined) {
    const call = calls.find((each) => each.sender === sender && dataHash.equals(each.dataHash));
    if (call !== undefined) return { stepIndex: call.stepIndex, userOperationHash, reverted: !success };
  }
  return undefined;
}
