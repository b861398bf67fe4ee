import type { Transaction } from '../../persistence/database';
import type { UnsignedCall } from '../../venues/quote-provider';
import type { Substatus } from '../state/substatus';
import { shortfallOf } from '../amounts/shortfall';
import { settleAction } from '../state/settle-action';
import { expireAction } from '../state/expire-actions';
import { changeSubstatus, transition } from '../state/transition';
import { failDelivery } from './fail-delivery';
import { noteArrival } from './record-arrival';
import { noteDeposit } from './record-deposit';
import { noteLateArrival } from './record-late-arrival';
import { noteRefund } from './record-refund';
import { isLatePayment } from './poll-task';
import type { Transfer } from './transfer-action';
import type { SeenDeposit, Verdict } from './outcome';

export interface Finding {
  readonly transfer: Transfer;
  /** Of a transfer that starts with something that the provider sees first. */
  readonly deposit: SeenDeposit | undefined;
  readonly verdict: Verdict;
}

/**
 * Notes what was found out. Every part of it is conditional on where the action is, so that nothing happens twice
 * whoever else sees the same. True when something changed.
 */
export async function applyVerdict(tx: Transaction, finding: Finding): Promise<boolean> {
  const { transfer, deposit, verdict } = finding;
  const seen = deposit !== undefined && (await noteDeposit(tx, transfer, deposit));
  const changed = await carryOut(tx, transfer, verdict);
  return seen || changed;
}

async function carryOut(tx: Transaction, transfer: Transfer, verdict: Verdict): Promise<boolean> {
  switch (verdict.kind) {
    case 'wait':
      return waitFor(tx, transfer, verdict.substatus);
    case 'arrived':
    case 'delivered':
      if (isLatePayment(transfer)) return noteLateArrival(tx, transfer, verdict);
      return verdict.kind === 'arrived' ? noteArrival(tx, transfer, verdict) : deliver(tx, transfer, verdict);
    case 'refunded':
      return noteRefund(tx, transfer, verdict);
    case 'failed':
      return failDelivery(tx, transfer, verdict.reason);
    case 'expired':
      return expireAction(tx, transfer.actionId);
  }
}

const REFUNDING: ReadonlySet<string | null | undefined> = new Set(['REFUND_QUEUED', 'REFUND_SENT']);

/** A refund that was asked for is waited for, although the provider may not know of it yet. */
async function waitFor(tx: Transaction, transfer: Transfer, substatus: Substatus | undefined): Promise<boolean> {
  if (substatus === undefined) return false;
  const isRefund = REFUNDING.has(substatus);
  if (REFUNDING.has(transfer.substatus) && !isRefund) return false;
  // Of what has failed, nothing but its refund is waited for.
  const isFailed = transfer.status === 'FAILED' && isRefund;
  return changeSubstatus(tx, transfer.actionId, { substatus, ...(isFailed ? { status: 'FAILED' } : {}) });
}

/** The destination's step ends by the provider's word, and the action by its last one. */
async function deliver(
  tx: Transaction,
  transfer: Transfer,
  { txHash, amount, flaw }: Extract<Verdict, { readonly kind: 'delivered' }>,
): Promise<boolean> {
  const { actionId, destination, minAmountOut } = transfer;
  const { stepIndex } = destination;
  await transition(tx, actionId, { edge: 'originSeen', substatus: 'WAITING_CONFIRMATIONS' });
  const { count } = await tx.actionStep.updateMany({
    where: { actionId, stepIndex, status: 'PENDING', action: { status: 'PENDING' } },
    data: { status: 'CONFIRMED', txHash: txHash ?? null, minedAt: new Date() },
  });
  if (count === 0) return false;
  const shortfall = shortfallOf(transfer, { arrived: amount ?? (flaw === undefined ? minAmountOut : undefined), flaw });
  await settleAction(tx, { actionId, stepIndex, txHash }, { spent: undefined, received: amount, shortfall });
  return true;
}

/** The call that completes a transfer, in JSON, as it is shown. */
export const completionJson = (call: UnsignedCall | undefined): object | null =>
  call === undefined ? null : { ...call, chainId: String(call.chainId), value: call.value.toString() };
