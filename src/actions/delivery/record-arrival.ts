import type { Transaction } from '../../persistence/database';
import { recordExecution } from '../state/record-execution';
import { sharedWith } from '../amounts/own-share';
import { changeSubstatus } from '../state/transition';
import type { Transfer } from './transfer-action';
import type { Verdict } from './outcome';

type Arrived = Extract<Verdict, { readonly kind: 'arrived' }>;

/**
 * Notes the transaction that delivered a transfer; its action ends when it is final. What is wrong with what arrived is
 * kept with the step until then. True when something changed.
 */
export async function noteArrival(tx: Transaction, transfer: Transfer, arrived: Arrived): Promise<boolean> {
  const { actionId, destination, chainIdOut: chainId } = transfer;
  const { txHash, block, flaw } = arrived;
  const { stepIndex } = destination;
  if (!(await isUnclaimed(tx, transfer, arrived))) {
    return changeSubstatus(tx, actionId, { substatus: 'WAITING_DESTINATION' });
  }
  const recorded = await recordExecution(tx, { actionId, stepIndex, chainId, txHash, block });
  if (recorded && flaw !== undefined) {
    const where = { actionId_stepIndex: { actionId, stepIndex } };
    await tx.actionStep.update({ where, data: { failureReason: flaw } });
  }
  return recorded;
}

/** False when other transfers have had the money already. One at a time decides that for a transaction. */
async function isUnclaimed(tx: Transaction, transfer: Transfer, { txHash, total, flaw }: Arrived): Promise<boolean> {
  const { actionId, chainIdOut: chainId, minAmountOut } = transfer;
  await tx.$queryRaw`
    SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(${`delivered by ${String(chainId)} ${txHash}`}, 0))`;
  const { count, minimum } = await sharedWith(tx, { actionId, chainId, txHash, action: transfer });
  if (count === 0) return true;
  return (total ?? 0n) - minimum >= (flaw === undefined ? minAmountOut : 0n);
}
