import type { Transaction } from '../../persistence/database';
import { sharedWith } from '../amounts/share-of-delivery';
import { recordExecution } from '../state/record-execution';
import { changeSubstatus } from '../state/change-status';
import type { DeliveryOutcome } from './outcome';
import type { TransferAction } from './transfer-action';

type Arrived = Extract<DeliveryOutcome, { readonly kind: 'deliveredOnChain' }>;

/**
 * Records the transaction that delivered a transfer; the tracker ends the action when it is final. A flaw is stored with
 * the step until then. True when something changed.
 */
export async function recordArrival(tx: Transaction, transfer: TransferAction, arrived: Arrived): Promise<boolean> {
  const { actionId, destination, chainIdOut: chainId } = transfer;
  const { txHash, block, flaw } = arrived;
  const { stepIndex } = destination;
  if (!(await isUnclaimed(tx, transfer, arrived))) {
    return changeSubstatus(tx, actionId, { substatus: 'WAITING_DESTINATION' });
  }
  const recorded = await recordExecution(tx, { actionId, stepIndex, chainId, txHash, block });
  if (recorded && flaw !== undefined) {
    const where = { actionId_stepIndex: { actionId, stepIndex } };
    await tx.actionStep.update({ where, data: { deliveryFlaw: flaw } });
  }
  return recorded;
}

/**
 * False when the transaction's tokens already belong to other transfers. The lock serialises the decision for each
 * transaction.
 */
async function isUnclaimed(
  tx: Transaction,
  transfer: TransferAction,
  { txHash, total, flaw }: Arrived,
): Promise<boolean> {
  const { actionId, chainIdOut: chainId, minAmountOut } = transfer;
  await tx.$queryRaw`
    SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(${`delivered by ${String(chainId)} ${txHash}`}, 0))`;
  const { count, minimum } = await sharedWith(tx, { actionId, chainId, txHash, action: transfer });
  if (count === 0) return true;
  return (total ?? 0n) - minimum >= (flaw === undefined ? minAmountOut : 0n);
}
