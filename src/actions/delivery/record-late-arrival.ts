import type { Transaction } from '../../persistence/database';
import type { Transfer } from './transfer-action';
import type { Verdict } from './outcome';

type Arrived = Extract<Verdict, { readonly kind: 'arrived' | 'delivered' }>;

const REASON = 'The payment came after the action had failed; what was bought with it has been delivered all the same';

/**
 * Notes what a ramp has delivered for a payment that came after its action had failed. No action that has failed
 * succeeds: its step, its reason and its log say what happened. True when nobody was first.
 */
export async function noteLateArrival(tx: Transaction, transfer: Transfer, arrived: Arrived): Promise<boolean> {
  const { actionId, customerId, destination, substatus } = transfer;
  const { stepIndex } = destination;
  const { count } = await tx.actionStep.updateMany({
    where: { actionId, stepIndex, status: { in: ['SKIPPED', 'FAILED'] }, txHash: null, action: { status: 'FAILED' } },
    data: { ...placeOf(arrived), failureReason: null },
  });
  if (count === 0) return false;
  await tx.action.update({ where: { id: actionId }, data: { failureReason: REASON } });
  const { txHash } = arrived;
  const detail = { stepIndex, ...(txHash === undefined ? {} : { txHash }), late: 'true' };
  const stays = { fromStatus: 'FAILED', toStatus: 'FAILED' } as const;
  await tx.actionEvent.create({ data: { actionId, customerId, ...stays, substatus, detail } });
  return true;
}

/** Its chain decides when it is final; of one that nobody here reads, the provider's word counts. */
function placeOf(arrived: Arrived) {
  if (arrived.kind === 'delivered') {
    return { status: 'CONFIRMED', txHash: arrived.txHash ?? null, minedAt: new Date() } as const;
  }
  const { number: blockNumber, hash: blockHash, timestamp } = arrived.block;
  const minedAt = new Date(Number.parseInt(timestamp.toString(), 10) * 1000);
  return { status: 'SUBMITTED', txHash: arrived.txHash, blockNumber, blockHash, minedAt } as const;
}
