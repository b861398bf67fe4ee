import { FIAT_CHAIN_ID } from '../../chains/chain';
import type { Transaction } from '../../persistence/database';
import { changeSubstatus, transition } from './transition';

/** A mined transaction that carries out a step of an action. */
export interface Execution {
  readonly actionId: string;
  readonly stepIndex: number;
  readonly chainId: number;
  readonly txHash: string;
  /** Set when the transaction is a bundle, and this user operation of it carries the step out. */
  readonly userOperationHash?: string | undefined;
  readonly block: { readonly number: bigint; readonly hash: string; /** Unix seconds. */ readonly timestamp: bigint };
}

/**
 * Notes that a step was carried out, reverted or not: INITIAL becomes PENDING, waiting for confirmations. A pending
 * action whose transaction had vanished in a reorganisation waits for confirmations again. From the first step on, the
 * delivery of a transfer is followed.
 *
 * A payout to a bank that was given up stays FAILED: whoever follows its delivery has the money given back.
 *
 * False when the action has ended, the step has its transaction already, or the transaction executes another action.
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
    await tx.$executeRaw`
      UPDATE "Delivery" SET "nextLookAt" = now(), looks = 0 WHERE "actionId" = ${actionId}::uuid`;
  }
  const substatus = 'WAITING_CONFIRMATIONS';
  const detail = { stepIndex, txHash, blockNumber: block.number.toString() };
  const started = await transition(tx, actionId, { edge: 'originSeen', substatus, detail });
  if (!started) await changeSubstatus(tx, actionId, { substatus, detail });
  return true;
}
