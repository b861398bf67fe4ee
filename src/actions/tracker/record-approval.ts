import type { Transaction } from '../../persistence/database';
import type { FoundTransaction } from './match-calls';

/**
 * Records the transaction of an approval: it appears among the action's transactions and in its log, and does not change
 * the status.
 */
export async function recordApproval(
  tx: Transaction,
  { call, transaction, block }: FoundTransaction,
  succeeded: boolean,
): Promise<void> {
  const detail = JSON.stringify({
    approval: transaction.hash,
    blockNumber: block.number.toString(),
    result: succeeded ? 'confirmed' : 'reverted',
  });
  await tx.$executeRaw`
    WITH recorded AS (
      UPDATE "ActionCall"
         SET status = ${succeeded ? 'CONFIRMED' : 'FAILED'}::"StepStatus", "txHash" = ${transaction.hash},
             "blockNumber" = ${block.number}, "blockHash" = ${block.hash},
             "minedAt" = to_timestamp(${Number.parseInt(block.timestamp.toString(), 10)})
       WHERE id = ${call.id}::uuid AND status = 'PENDING'
      RETURNING "actionId"
    )
    INSERT INTO "ActionEvent" ("actionId", "customerId", "fromStatus", "toStatus", substatus, detail)
    SELECT action.id, action."customerId", action.status, action.status, action.substatus, ${detail}::jsonb
      FROM "Action" AS action JOIN recorded ON recorded."actionId" = action.id`;
}
