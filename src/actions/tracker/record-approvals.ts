import type { Transaction } from '../../persistence/database';
import type { FoundTransaction } from './find-transactions';
import { CALL_WITH_ACTION, IS_OPEN, isSameCall, keysJson } from './open-calls';

/** Actions that one statement updates. */
const BATCH_SIZE = 5000;

/** An approval in a block, and whether it succeeded. */
export interface MinedApproval extends FoundTransaction {
  readonly succeeded: boolean;
}

/**
 * Records approvals for a batch of the actions that wait for them: they appear among the action's transactions and in its
 * log, and do not change the status. The first of several identical approvals counts.
 *
 * False once no action waits for them any more.
 */
export async function recordApprovals(
  tx: Transaction,
  chainId: number,
  approvals: readonly MinedApproval[],
): Promise<boolean> {
  const mined = approvals.map(({ transaction, block, succeeded }) => ({
    txHash: transaction.hash,
    blockNumber: block.number.toString(),
    blockHash: block.hash,
    seconds: block.timestamp.toString(),
    succeeded,
  }));
  // The actions are locked before their calls, in the order in which a transition locks them.
  const recorded = await tx.$executeRaw`
    WITH mined AS (
      SELECT DISTINCT ON (key.form, key.sender, key.target, key.value, key.hash) key.*, found.*
        FROM jsonb_to_recordset(${keysJson(approvals.map(({ key }) => key))}::jsonb)
             AS key(position int, form text, sender text, target text, value numeric, hash text)
        JOIN ROWS FROM (jsonb_to_recordset(${JSON.stringify(mined)}::jsonb)
             AS ("txHash" text, "blockNumber" bigint, "blockHash" text, seconds float8, succeeded boolean))
             WITH ORDINALITY AS found("txHash", "blockNumber", "blockHash", seconds, succeeded, ordinal)
          ON found.ordinal = key.position + 1
       ORDER BY key.form, key.sender, key.target, key.value, key.hash, key.position
    ), due AS (
      SELECT call.id, mined."txHash", mined."blockNumber", mined."blockHash", mined.seconds, mined.succeeded
        FROM mined, ${CALL_WITH_ACTION}
       WHERE ${isSameCall(chainId)} AND ${IS_OPEN} AND call.kind = 'APPROVAL'
       ORDER BY action.id, call.id LIMIT ${BATCH_SIZE} FOR KEY SHARE OF action
    ), recorded AS (
      UPDATE "ActionCall" AS call
         SET status = CASE WHEN due.succeeded THEN 'CONFIRMED' ELSE 'FAILED' END::"StepStatus", "txHash" = due."txHash",
             "blockNumber" = due."blockNumber", "blockHash" = due."blockHash", "minedAt" = to_timestamp(due.seconds)
        FROM due
       WHERE call.id = due.id AND call.status = 'PENDING'
      RETURNING call."actionId", due."txHash", due."blockNumber", due.succeeded
    )
    INSERT INTO "ActionEvent" ("actionId", "customerId", "fromStatus", "toStatus", substatus, detail)
    SELECT action.id, action."customerId", action.status, action.status, action.substatus,
           jsonb_build_object('approval', recorded."txHash", 'blockNumber', recorded."blockNumber"::text,
                              'result', CASE WHEN recorded.succeeded THEN 'confirmed' ELSE 'reverted' END)
      FROM "Action" AS action JOIN recorded ON recorded."actionId" = action.id`;
  return recorded > 0;
}
