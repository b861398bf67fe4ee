import type { Database } from '../../persistence/database';
import { type MovedAmounts, settleConfirmedStep } from '../state/settle-confirmed-step';
import type { SubmittedStep } from './submitted-steps';

/** Confirms a step whose transaction is final. The last step ends the action with the amount that arrived. */
export async function recordConfirmedStep(database: Database, step: SubmittedStep, moved: MovedAmounts): Promise<void> {
  await database.$transaction(async (tx) => {
    const { actionId, customerId, stepIndex, txHash, blockHash } = step;
    const { count } = await tx.actionStep.updateMany({
      where: { actionId, customerId, stepIndex, status: 'SUBMITTED', txHash, blockHash },
      data: { status: 'CONFIRMED' },
    });
    // Otherwise another replica was first, or another transaction has taken the place.
    if (count > 0) await settleConfirmedStep(tx, step, moved);
  });
}
