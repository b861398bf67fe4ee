import { type Hex, keccak256 } from 'viem';
import type { Database } from '../persistence/database';
import type { ActionRow } from './action-row';

/** A mined transaction that a caller says executed an action. */
export interface ReportedTransaction {
  readonly txHash: Hex;
  readonly from: string;
  readonly to: string | null;
  readonly input: Hex;
  readonly value: bigint;
  readonly block: { readonly number: bigint; readonly hash: string; readonly timestamp: bigint };
  readonly reverted: boolean;
}

/**
 * The step that the transaction carries out: it must be, to the last byte and wei, a call that was handed out for the
 * action. Approvals carry out none.
 */
export async function findCarriedOutStep(
  database: Database,
  action: Pick<ActionRow, 'id' | 'chainIdIn'>,
  transaction: ReportedTransaction,
): Promise<number | undefined> {
  const call = await database.actionCall.findFirst({
    where: {
      actionId: action.id,
      chainId: action.chainIdIn,
      kind: { not: 'APPROVAL' },
      sender: transaction.from.toLowerCase(),
      target: transaction.to?.toLowerCase() ?? '',
      dataHash: Buffer.from(keccak256(transaction.input, 'bytes')),
      value: transaction.value.toString(),
    },
    select: { stepIndex: true },
  });
  return call?.stepIndex;
}
