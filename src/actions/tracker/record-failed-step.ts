import type { Database } from '../../persistence/database';
import { changeStatus } from '../state/change-status';
import type { StepFailure } from './explain-revert';
import type { SubmittedStep } from './submitted-steps';

/** Fails a step whose transaction reverted and is final, and its action. */
export async function recordFailedStep(database: Database, step: SubmittedStep, failure: StepFailure): Promise<void> {
  await database.$transaction(async (tx) => {
    const { actionId, stepIndex, txHash, blockHash } = step;
    const { reason: failureReason, substatus } = failure;
    const { count } = await tx.actionStep.updateMany({
      where: { actionId, stepIndex, status: 'SUBMITTED', txHash, blockHash },
      data: { status: 'FAILED', failureReason },
    });
    if (count === 0) return; // another replica was first, or another transaction has taken the place
    await changeStatus(tx, actionId, { transition: 'failed', substatus, failureReason, detail: { stepIndex, txHash } });
  });
}
