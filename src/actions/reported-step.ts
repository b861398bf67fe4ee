import { type Hex, keccak256, type TransactionReceipt } from 'viem';
import type { Database } from '../persistence/database';
import type { ActionRow } from './action-row';
import { findReportedOperation } from './tracker/user-operations/reported-operation';

/** A mined transaction that a caller says executed an action. */
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
  /** Set when the transaction is a bundle, and this user operation of it carried the step out. */
  readonly userOperationHash: string | undefined;
  readonly reverted: boolean;
}

/**
 * The step that the transaction carries out: it must be, to the last byte and wei, a call that was handed out for the
 * action, or hold such a user operation. Approvals carry out none.
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
