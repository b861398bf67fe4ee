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
 */
export async function recordFailedStep(database: Database, step: SubmittedStep, failure: StepFailure): Promise<void> {
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
    if (!(await wasTransferMade(tx, step)))
      await changeStatus(tx, actionId, { transition: 'failed', substatus, failureReason, detail });
    else if ((await nextStep(tx, step)) === undefined) await endAction(tx, step, detail);
    else await addEvent(tx, actionId, detail);
  });
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
