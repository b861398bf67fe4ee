import type { Database } from '../../persistence/database';
import { transition } from '../state/transition';
import type { Failure } from './explain-revert';
import type { SubmittedStep } from './submitted-steps';

/** Ends a step whose transaction reverted for good, and its action with it. */
export async function failStep(database: Database, step: SubmittedStep, failure: Failure): Promise<void> {
  await database.$transaction(async (tx) => {
    const { actionId, stepIndex, txHash, blockHash } = step;
    const { reason: failureReason, substatus } = failure;
    const { count } = await tx.actionStep.updateMany({
      where: { actionId, stepIndex, status: 'SUBMITTED', blockHash },
      data: { status: 'FAILED', failureReason },
    });
    if (count === 0) return; // another replica was first
    await transition(tx, actionId, { edge: 'failed', substatus, failureReason, detail: { stepIndex, txHash } });
  });
}
