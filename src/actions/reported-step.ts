import { type Hex, keccak256, type TransactionReceipt } from 'viem';
import type { Database } from '../persistence/database';
import type { ActionRow } from './action-row';
import { findReportedOperation } from './tracker/user-operations/reported-operation';

/** A mined transaction that a caller reports as the execution of an action. */
export interface ReportedTransaction {
  readonly txHash: Hex;
  readonly from: string;
  readonly to: Hex | null;
  readonly input: Hex;
  readonly value: bigint;
  readonly block: { readonly number: bigint; readonly hash: string; readonly timestamp: bigint };
  readonly receipt: TransactionReceipt;
}

/** A step that a transaction carried out, reverted or not. */
export interface CarriedOutStep {
  readonly stepIndex: number;
  /** Set when the transaction is a bundle: the user operation in it that carried out the step. */
  readonly userOperationHash: string | undefined;
  readonly reverted: boolean;
}

/**
 * The step that the transaction carries out: the transaction must be identical to a call that was issued for the action,
 * or contain such a user operation. Approvals carry out no step.
 */
export async function findCarriedOutStep(
  database: Database,
  action: Pick<ActionRow, 'id' | 'chainIdIn'>,
  transaction: ReportedTransaction,
): Promise<CarriedOutStep | undefined> {
  const call = await database.actionCall.findFirst({
    where: {
      actionId: action.id,
      chainId: action.chainIdIn,
      kind: { not: 'APPROVAL' },
      form: 'CALL',
      sender: transaction.from.toLowerCase(),
      target: transaction.to?.toLowerCase() ?? '',
      dataHash: Buffer.from(keccak256(transaction.input, 'bytes')),
      value: transaction.value.toString(),
    },
    select: { stepIndex: true },
  });
  if (call === null) return findReportedOperation(database, action, transaction);
  const reverted = transaction.receipt.status === 'reverted';
  return { stepIndex: call.stepIndex, userOperationHash: undefined, reverted };
}
