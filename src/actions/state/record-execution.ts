import { FIAT_CHAIN_ID } from '../../chains/chain';
import type { Transaction } from '../../persistence/database';
import { POLL_NOW } from './poll-now';
import { changeStatus, changeSubstatus } from './change-status';

/** A mined transaction that carries out a step of an action. */
export interface Execution {
  readonly actionId: string;
  readonly stepIndex: number;
  readonly chainId: number;
  readonly txHash: string;
  /** Set when the transaction is a bundle: the user operation in it that carried out the step. */
  readonly userOperationHash?: string | undefined;
  readonly block: { readonly number: bigint; readonly hash: string; /** Unix seconds. */ readonly timestamp: bigint };
}

/**
 * Records that a step was carried out, reverted or not: INITIAL becomes PENDING and waits for confirmations. So does a
 * PENDING action whose earlier transaction vanished in a reorganisation. The first step starts the polls of the delivery.
 *
 * An expired payout to a bank stays FAILED; its delivery has the tokens returned.
 *
 * False when the action has ended, the step already has a transaction, or the transaction executes another action.
 */
export async function recordExecution(tx: Transaction, execution: Execution): Promise<boolean> {
  const { actionId, stepIndex, chainId, txHash, userOperationHash = null, block } = execution;
  const submitted = await tx.$executeRaw`
    WITH action AS (
      SELECT id, status FROM "Action"
       WHERE id = ${actionId}::uuid
         AND (status IN ('INITIAL', 'PENDING')
              OR (status = 'FAILED' AND substatus = 'EXPIRED' AND "chainIdOut" = ${FIAT_CHAIN_ID}))
         FOR UPDATE
    )
    UPDATE "ActionStep" AS step
       SET status = 'SUBMITTED', "txHash" = ${txHash}, "userOperationHash" = ${userOperationHash},
           "blockNumber" = ${block.number}, "blockHash" = ${block.hash},
           "minedAt" = to_timestamp(${Number.parseInt(block.timestamp.toString(), 10)}), "updatedAt" = now()
      FROM action
     WHERE step."actionId" = action.id AND step."stepIndex" = ${stepIndex}
       AND (step.status = 'PENDING' OR (action.status = 'FAILED' AND step.status = 'SKIPPED' AND step."stepIndex" = 0))
       AND (step."stepIndex" > 0
            OR NOT EXISTS (SELECT 1 FROM "ActionStep" WHERE "chainId" = ${chainId} AND "txHash" = ${txHash}
                              AND "userOperationHash" IS NOT DISTINCT FROM ${userOperationHash}))`;
  if (submitted === 0) return false;
  if (stepIndex === 0) {
    await tx.$executeRaw`UPDATE "Delivery" SET ${POLL_NOW} WHERE "actionId" = ${actionId}::uuid`;
  }
  const substatus = 'WAITING_CONFIRMATIONS';
  const detail = { stepIndex, txHash, blockNumber: block.number.toString() };
  const started = await changeStatus(tx, actionId, { transition: 'originSeen', substatus, detail });
  if (!started) await changeSubstatus(tx, actionId, { substatus, detail });
  return true;
}
