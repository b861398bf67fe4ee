import type { Transaction } from '../../persistence/database';
import type { DeliveryOutcome } from './outcome';
import type { TransferAction } from './transfer-action';

type Arrived = Extract<DeliveryOutcome, { readonly kind: 'deliveredOnChain' | 'reportedDelivered' }>;

const REASON = 'The payment arrived after the action had failed; the bought tokens were delivered nevertheless';

/**
 * Records what a ramp delivered for a payment that arrived after its action had failed. The action stays FAILED; its
 * step, its reason and its log state the delivery. False when another replica was first.
 */
export async function recordLateArrival(tx: Transaction, transfer: TransferAction, arrived: Arrived): Promise<boolean> {
  const { actionId, customerId, destination, substatus } = transfer;
  const { stepIndex } = destination;
  const { count } = await tx.actionStep.updateMany({
    where: { actionId, stepIndex, status: { in: ['SKIPPED', 'FAILED'] }, txHash: null, action: { status: 'FAILED' } },
    data: { ...stepOf(arrived), failureReason: null },
  });
  if (count === 0) return false;
  await tx.action.update({ where: { id: actionId }, data: { failureReason: REASON } });
  const { txHash } = arrived;
  const detail = { stepIndex, ...(txHash === undefined ? {} : { txHash }), late: 'true' };
  const unchanged = { fromStatus: 'FAILED', toStatus: 'FAILED' } as const;
  await tx.actionEvent.create({ data: { actionId, customerId, ...unchanged, substatus, detail } });
  return true;
}

/** The tracker of the chain confirms the step; on a chain that the service does not read, the report confirms it. */
function stepOf(arrived: Arrived) {
  if (arrived.kind === 'reportedDelivered') {
    return { status: 'CONFIRMED', txHash: arrived.txHash ?? null, minedAt: new Date() } as const;
  }
  const { number: blockNumber, hash: blockHash, timestamp } = arrived.block;
  const minedAt = new Date(Number.parseInt(timestamp.toString(), 10) * 1000);
  return { status: 'SUBMITTED', txHash: arrived.txHash, blockNumber, blockHash, minedAt } as const;
}
