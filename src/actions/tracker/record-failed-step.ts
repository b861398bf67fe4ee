import type { Database, Transaction } from '../../persistence/database';
import { Prisma } from '../../persistence/client/client';
import { addEvent, changeStatus } from '../state/change-status';
import { hasTransferInTransit } from '../state/late-transactions';
import type { StepFailure } from './explain-revert';
import type { SubmittedStep } from './submitted-steps';

/**
 * Fails a step whose transaction reverted and is final, and its action. While a transfer to another chain is in transit, the
 * action goes on: it fails when the transfer has arrived.
 */
export async function recordFailedStep(database: Database, step: SubmittedStep, failure: StepFailure): Promise<void> {
  await database.$transaction(async (tx) => {
    const { actionId, stepIndex, txHash, blockHash } = step;
    const { reason: failureReason, substatus } = failure;
    // The lock keeps the transaction of the transfer from being recorded between the decision and the change of the status.
    await tx.$queryRaw`SELECT id FROM "Action" WHERE id = ${actionId}::uuid FOR UPDATE`;
    const { count } = await tx.actionStep.updateMany({
      where: { actionId, stepIndex, status: 'SUBMITTED', txHash, blockHash },
      data: { status: 'FAILED', failureReason },
    });
    if (count === 0) return; // another replica was first, or another transaction has taken the place
    const detail = { stepIndex, txHash };
    if (await isTransferInTransit(tx, actionId)) await addEvent(tx, actionId, detail);
    else await changeStatus(tx, actionId, { transition: 'failed', substatus, failureReason, detail });
  });
}

async function isTransferInTransit(tx: Transaction, actionId: string): Promise<boolean> {
  const id = Prisma.sql`${actionId}::uuid`;
  const [row] = await tx.$queryRaw<{ inTransit: boolean }[]>`SELECT ${hasTransferInTransit(id)} AS "inTransit"`;
  return row?.inTransit === true;
}
