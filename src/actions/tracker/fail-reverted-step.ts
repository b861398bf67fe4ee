import type { Database, Transaction } from '../../persistence/database';
import { Prisma } from '../../persistence/client/client';
import { addEvent, changeStatus } from '../state/change-status';
import { hasTransferInTransit } from '../state/late-transactions';
import { nextStep } from '../state/next-step';
import { endAction } from '../state/settle-confirmed-step';
import type { StepFailure } from './explain-revert';
import type { SubmittedStep } from './submitted-steps';

/**
 * Fails a step whose transaction reverted and is final, and its action. Where a transfer to another chain was made all the same,
 * the action goes on until the transfer has arrived and every other transaction is final: then it fails as `PARTIAL`.
 * So it does when only a fee was not paid, because a caller who takes the deposit for failed makes it again.
 */
export async function failRevertedStep(database: Database, step: SubmittedStep, failure: StepFailure): Promise<void> {
  await database.$transaction(async (tx) => {
    const { actionId, customerId, stepIndex, txHash, blockHash } = step;
    const { reason: failureReason, substatus } = failure;
    // The lock keeps the transaction of the transfer from being recorded between the decision and the change of the status.
    await tx.$queryRaw`
      SELECT id FROM "Action" WHERE id = ${actionId}::uuid AND "customerId" = ${customerId}::uuid FOR UPDATE`;
    const { count } = await tx.actionStep.updateMany({
      where: { actionId, customerId, stepIndex, status: 'SUBMITTED', txHash, blockHash },
      data: { status: 'FAILED', failureReason },
    });
    if (count === 0) return; // another replica was first, or another transaction has taken the place
    const detail = { stepIndex, txHash };
    const effect = await effectOfOthers(tx, step);
    if (effect === 'awaited') await addEvent(tx, actionId, detail);
    else if (effect === 'made') await endAction(tx, step, detail);
    else await changeStatus(tx, actionId, { transition: 'failed', substatus, failureReason, detail });
  });
}

/** What the other transactions of an action have done: their effect decides how it ends. */
type EffectOfOthers = 'none' | 'made' | 'awaited';

async function effectOfOthers(tx: Transaction, step: SubmittedStep): Promise<EffectOfOthers> {
  if (await wasTransferMade(tx, step)) return (await nextStep(tx, step)) === undefined ? 'made' : 'awaited';
  return step.isFee ? effectBesideFee(tx, step) : 'none';
}

/** Transactions are settled at the same time: the one that the fee was for may become final after the fee. */
async function effectBesideFee(
  tx: Transaction,
  { actionId, customerId, stepIndex }: SubmittedStep,
): Promise<EffectOfOthers> {
  const others = await tx.actionStep.findMany({
    where: { actionId, customerId, operator: 'USER', stepIndex: { not: stepIndex } },
    select: { status: true, reverted: true },
  });
  if (others.some(({ status, reverted }) => status === 'SUBMITTED' && !reverted)) return 'awaited';
  return others.some(({ status }) => status === 'CONFIRMED') ? 'made' : 'none';
}

/** True while the transfer of the action is in transit, and once it has arrived although the step before it has failed. */
async function wasTransferMade(
  tx: Transaction,
  { actionId, customerId, stepIndex }: Pick<SubmittedStep, 'actionId' | 'customerId' | 'stepIndex'>,
): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ wasMade: boolean }[]>`
    SELECT ${hasTransferInTransit(Prisma.sql`action.id`)} OR EXISTS (
             SELECT 1 FROM "Delivery" AS part
               JOIN "ActionStep" AS arrival ON arrival."actionId" = part."actionId"
                AND arrival."stepIndex" = part."destinationStep"
              WHERE part."actionId" = action.id AND part.terms IS NOT NULL AND part."originStep" > ${stepIndex}
                AND arrival.status = 'CONFIRMED') AS "wasMade"
      FROM "Action" AS action WHERE action.id = ${actionId}::uuid AND action."customerId" = ${customerId}::uuid`;
  return row?.wasMade === true;
}
