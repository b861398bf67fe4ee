import { FIAT_CHAIN_ID } from '../../chains/chain';
import type { Transaction } from '../../persistence/database';
import { changeStatus } from '../state/change-status';
import type { ObservedDeposit } from './outcome';
import type { TransferAction } from './transfer-action';

/**
 * Records that a deposit was paid: INITIAL becomes PENDING, and the first step gets the transaction hash, if the provider reports one.
 * A transaction that pays several deposits is stored with the first one only. True when something changed.
 *
 * A bank payment that arrives after its action has failed is stored with the first step as well; the action stays FAILED.
 */
export async function recordDeposit(
  tx: Transaction,
  { actionId, origin }: Pick<TransferAction, 'actionId' | 'origin'>,
  { txHash, final }: ObservedDeposit,
): Promise<boolean> {
  const hash = txHash ?? null;
  const status = final ? 'CONFIRMED' : 'SUBMITTED';
  const recorded = await tx.$executeRaw`
    UPDATE "ActionStep" AS step
       SET status = ${status}::"StepStatus", "minedAt" = coalesce(step."minedAt", now()), "updatedAt" = now(),
           "txHash" = coalesce(step."txHash", CASE WHEN NOT EXISTS (
             SELECT 1 FROM "ActionStep" WHERE "chainId" = ${origin.chainId} AND "txHash" = ${hash}) THEN ${hash} END)
      FROM "Action" AS action
     WHERE action.id = step."actionId" AND step."actionId" = ${actionId}::uuid AND step."stepIndex" = 0
       AND ((action.status IN ('INITIAL', 'PENDING') AND step.status IN ('PENDING', 'SUBMITTED'))
            OR (action.status = 'FAILED' AND action."chainIdIn" = ${FIAT_CHAIN_ID} AND step.status = 'SKIPPED'))
       AND (step.status::text <> ${status} OR (step."txHash" IS NULL AND ${hash}::text IS NOT NULL))`;
  const detail = { stepIndex: 0, ...(txHash === undefined ? {} : { txHash }) };
  const started = await changeStatus(tx, actionId, {
    transition: 'originSeen',
    substatus: 'WAITING_CONFIRMATIONS',
    detail,
  });
  return recorded > 0 || started;
}
