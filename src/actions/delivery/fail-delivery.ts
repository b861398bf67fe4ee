import type { Transaction } from '../../persistence/database';
import { transition } from '../state/transition';
import type { Transfer } from './transfer-action';

/** Ends an action that the provider gave up, at the step that was the provider's. True when nobody was first. */
export async function failDelivery(tx: Transaction, transfer: Transfer, reason: string): Promise<boolean> {
  const { actionId, destination } = transfer;
  const { stepIndex } = destination;
  const { count } = await tx.actionStep.updateMany({
    where: { actionId, stepIndex, status: 'PENDING', action: { status: { in: ['INITIAL', 'PENDING'] } } },
    data: { status: 'FAILED', failureReason: reason },
  });
  if (count === 0) return false;
  const refused = await transition(tx, actionId, { edge: 'givenUp', failureReason: reason });
  return refused || (await transition(tx, actionId, { edge: 'failed', failureReason: reason }));
}
