import type { Transaction } from '../../persistence/database';
import type { MatchedTransaction } from './match-transactions';
import { CALL_WITH_ACTION, IS_OPEN, isSameCall, KEY_COLUMNS, keysJson } from './open-calls';

/** Actions that one statement updates. */
const BATCH_SIZE = 5000;

/** An approval in a block, and whether it succeeded. */
export interface MinedApproval extends MatchedTransaction {
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
             AS key(${KEY_COLUMNS})
        JOIN ROWS FROM (jsonb_to_recordset(${JSON.stringify(mined)}::jsonb)
             AS ("txHash" text, "blockNumber" bigint, "blockHash" text, seconds float8, succeeded boolean))
             WITH ORDINALITY AS found("txHash", "blockNumber", "blockHash", seconds, succeeded, ordinal)
          ON found.ordinal = key.position + 1
       ORDER BY key.form, key.sender, key.target, key.value, key.hash, key.position
    ), due AS (
      SELECT mined.*, waiting.id, waiting."actionId"
        FROM mined CROSS JOIN LATERAL (
          SELECT call.id, call."actionId" FROM ${CALL_WITH_ACTION}
           WHERE ${isSameCall(chainId)} AND ${IS_OPEN} AND call.kind = 'APPROVAL'
           ORDER BY call."actionId" LIMIT ${BATCH_SIZE}) AS waiting
       ORDER BY waiting."actionId", waiting.id LIMIT ${BATCH_SIZE}
    ), locked AS MATERIALIZED (
      SELECT due.*, action."customerId", action.status, action.substatus
        FROM due JOIN "Action" AS action ON action.id = due."actionId"
       ORDER BY due."actionId", due.id FOR KEY SHARE OF action
    ), recorded AS (
      UPDATE "ActionCall" AS call
         SET status = CASE WHEN locked.succeeded THEN 'CONFIRMED' ELSE 'FAILED' END::"StepStatus",
             "txHash" = locked."txHash", "blockNumber" = locked."blockNumber", "blockHash" = locked."blockHash",
             "minedAt" = to_timestamp(locked.seconds)
        FROM locked
       WHERE call.id = locked.id AND call.status = 'PENDING'
      RETURNING locked.*
    )
    INSERT INTO "ActionEvent" ("actionId", "customerId", "fromStatus", "toStatus", substatus, detail)
    SELECT "actionId", "customerId", status, status, substatus,
           jsonb_build_object('approval', "txHash", 'blockNumber', "blockNumber"::text,
                              'result', CASE WHEN succeeded THEN 'confirmed' ELSE 'reverted' END)
      FROM recorded`;
  return recorded > 0;
}
