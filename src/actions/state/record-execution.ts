import { FIAT_CHAIN_ID } from '../../chains/chain';
import { Prisma } from '../../persistence/client/client';
import type { ActionStatus } from '../../persistence/client/enums';
import type { Transaction } from '../../persistence/database';
import { MAX_DRIFT_PPM } from './max-share-price-drift';
import { statePaidFees } from './paid-fees';
import { POLL_NOW } from './poll-now';
import { isInvestmentBetweenChains, isOfOneWallet } from './late-transactions';
import { addEvent, changeStatus, changeSubstatus, type StatusChange } from './change-status';

/** A mined transaction that carries out a step of an action. */
export interface Execution {
  readonly actionId: string;
  readonly stepIndex: number;
  readonly chainId: number;
  readonly txHash: string;
  /** Set when the transaction is a bundle: the user operation in it that carried out the step. */
  readonly userOperationHash?: string | undefined;
  /** Set when a Safe made the call: its position among the calls of the Safe in the transaction. */
  readonly callIndex?: number | undefined;
  /** The issued call that it carries out. */
  readonly callId?: string | undefined;
  /** True when the transaction had no effect, as far as its block shows. */
  readonly reverted?: boolean;
  readonly block: { readonly number: bigint; readonly hash: string; /** Unix seconds. */ readonly timestamp: bigint };
}

/**
 * Records that a step was carried out, reverted or not: INITIAL becomes PENDING and waits for confirmations. So does a
 * PENDING action whose earlier transaction vanished in a reorganisation, and a FAILED one whose origin transaction has not
 * succeeded: its transaction is late. So may be any transaction of an action within one chain whose wallet sends all of
 * them, unless too little has arrived already, and those of the wallet in a deposit or withdrawal between chains. The step that
 * pays the provider starts the polls of the delivery.
 *
 * A transaction that succeeded takes the place of one that reverted.
 *
 * A payout to a bank that has expired stays FAILED; its delivery has the tokens returned.
 *
 * False when the action has ended, the step already has a transaction, or the transaction executes another action.
 */
export async function recordExecution(tx: Transaction, execution: Execution): Promise<boolean> {
  const { actionId, stepIndex, txHash, block } = execution;
  const found = await submitStep(tx, execution);
  if (found === undefined) return false;
  await tx.$executeRaw`
    UPDATE "Delivery" SET ${POLL_NOW} WHERE "actionId" = ${actionId}::uuid AND "originStep" = ${stepIndex}`;
  const { formerTxHash, customerId, hasOwnFees } = found;
  if (hasOwnFees) await statePaidFees(tx, { actionId, customerId });
  const detail = {
    stepIndex,
    txHash,
    blockNumber: block.number.toString(),
    ...(formerTxHash === null ? {} : { replaces: formerTxHash }),
  };
  await reportProgress(tx, { actionId, ...found }, detail);
  return true;
}

/** An action before its execution was recorded. */
interface ExecutedAction {
  readonly customerId: string;
  readonly status: ActionStatus;
  /** True when the tokens have to be returned. */
  readonly isExpiredPayout: boolean;
  /** The reverted transaction that had its place. */
  readonly formerTxHash: string | null;
  /** True when the call states fees of its own. */
  readonly hasOwnFees: boolean;
}

/**
 * Condition on the rows `action` and `own`: a transaction of the wallet in a failed deposit or withdrawal between chains. What it
 * uses must have arrived; a transfer that it precedes must not have failed.
 */
const MAY_GO_ON = Prisma.sql`
  own.operator = 'USER' AND ${isInvestmentBetweenChains(Prisma.sql`action.id`)}
  AND NOT EXISTS (
    SELECT 1 FROM "ActionStep" AS other
     WHERE other."actionId" = action.id AND other.operator <> 'USER' AND other.kind <> 'REFUND'
       AND CASE WHEN other."stepIndex" < own."stepIndex" THEN other.status <> 'CONFIRMED'
                ELSE other.status = 'FAILED' OR other."deliveryFlaw" IS NOT NULL END)`;

async function submitStep(tx: Transaction, execution: Execution): Promise<ExecutedAction | undefined> {
  const { actionId, stepIndex, chainId, txHash, block, reverted = false } = execution;
  const { userOperationHash = null, callIndex = null, callId = null } = execution;
  const [found] = await tx.$queryRaw<ExecutedAction[]>`
    WITH found AS (
      SELECT action.id, action.status, own."txHash" AS "formerTxHash",
             action.status = 'FAILED' AND action."chainIdOut" = ${FIAT_CHAIN_ID}
               AND (action.substatus IS NOT DISTINCT FROM 'EXPIRED' OR action."expiresAt" < now()) AS "isExpiredPayout"
        FROM "Action" AS action
        JOIN "ActionStep" AS own ON own."actionId" = action.id AND own."stepIndex" = ${stepIndex}
       WHERE action.id = ${actionId}::uuid
         AND (action.status IN ('INITIAL', 'PENDING')
              OR (action.status = 'FAILED' AND own."stepIndex" = 0 AND NOT EXISTS (
                    SELECT 1 FROM "ActionStep" AS later
                     WHERE later."actionId" = action.id AND later."stepIndex" > 0 AND later."txHash" IS NOT NULL))
              OR (action.status = 'FAILED' AND (${isOfOneWallet(Prisma.sql`action.id`)} OR ${MAY_GO_ON})
                  AND action."amountOut" * 1000000 >= action."minAmountOut" * ${1_000_000n - MAX_DRIFT_PPM}::numeric))
         FOR UPDATE OF action
    )
    UPDATE "ActionStep" AS step
       SET status = 'SUBMITTED', "txHash" = ${txHash}, "userOperationHash" = ${userOperationHash},
           "callIndex" = ${callIndex}::int, "callId" = ${callId}::uuid, reverted = ${reverted}, "failureReason" = NULL,
           "blockNumber" = ${block.number}, "blockHash" = ${block.hash},
           "minedAt" = to_timestamp(${Number.parseInt(block.timestamp.toString(), 10)}), "updatedAt" = now()
      FROM found
     WHERE step."actionId" = found.id AND step."stepIndex" = ${stepIndex}
       AND (step.status = 'PENDING'
            OR (found.status = 'FAILED' AND step.status = 'SKIPPED')
            OR (found.status IN ('PENDING', 'FAILED') AND NOT ${reverted}
                AND (step.status = 'FAILED' OR (step.status = 'SUBMITTED' AND step.reverted))))
       AND (step."stepIndex" > 0
            OR NOT EXISTS (SELECT 1 FROM "ActionStep" WHERE "chainId" = ${chainId} AND "txHash" = ${txHash}
                              AND "userOperationHash" IS NOT DISTINCT FROM ${userOperationHash}
                              AND "callIndex" IS NOT DISTINCT FROM ${callIndex}::int))
    RETURNING step."customerId", found.status, found."isExpiredPayout", found."formerTxHash",
              EXISTS (SELECT 1 FROM "ActionCall" AS call
                       WHERE call.id = step."callId" AND call."actionId" = step."actionId" AND call.fees IS NOT NULL) AS "hasOwnFees"`;
  return found;
}

type Detail = NonNullable<StatusChange['detail']>;

/** Changes the status or substatus of the action, or else adds an event to its log. */
async function reportProgress(
  tx: Transaction,
  {
    actionId,
    status,
    isExpiredPayout,
    formerTxHash,
  }: Omit<ExecutedAction, 'customerId' | 'hasOwnFees'> & { readonly actionId: string },
  detail: Detail,
): Promise<void> {
  const substatus = 'WAITING_CONFIRMATIONS';
  const late = { ...detail, late: 'true' };
  if (status === 'INITIAL') {
    await changeStatus(tx, actionId, { transition: 'originSeen', substatus, detail });
  } else if (isExpiredPayout) {
    const isNew = await changeSubstatus(tx, actionId, { substatus: 'EXPIRED', status: 'FAILED', detail: late });
    if (!isNew && formerTxHash !== null) await addEvent(tx, actionId, late);
  } else if (status === 'FAILED') {
    await changeStatus(tx, actionId, { transition: 'originSeenLate', substatus, detail: late });
  } else if (!(await changeSubstatus(tx, actionId, { substatus, detail })) && formerTxHash !== null) {
    await addEvent(tx, actionId, detail);
  }
}
