import type { Transaction } from '../../persistence/database';
import type { UnsignedCall } from '../../venues/quote-provider';
import { shortfallOf } from '../amounts/shortfall';
import { expireAction } from '../state/expire-actions';
import { settleConfirmedStep } from '../state/settle-confirmed-step';
import type { Substatus } from '../state/substatus';
import { changeStatus, changeSubstatus } from '../state/change-status';
import type { DeliveryOutcome, ObservedDeposit } from './outcome';
import { isLatePayment } from './poll-task';
import { recordArrival } from './record-arrival';
import { recordDeposit } from './record-deposit';
import { recordLateArrival } from './record-late-arrival';
import { recordRefund } from './record-refund';
import type { TransferAction } from './transfer-action';

/**
 * Applies the outcome of a poll. Each write is conditional on the state of the action, so that nothing is applied twice
 * when a tracker or another replica sees the same. True when something changed.
 */
export async function applyOutcome(
  tx: Transaction,
  {
    transfer,
    deposit,
    outcome,
  }: {
    readonly transfer: TransferAction;
    readonly deposit: ObservedDeposit | undefined;
    readonly outcome: DeliveryOutcome;
  },
): Promise<boolean> {
  const recorded = deposit !== undefined && (await recordDeposit(tx, transfer, deposit));
  const changed = await apply(tx, transfer, outcome);
  return recorded || changed;
}

async function apply(tx: Transaction, transfer: TransferAction, outcome: DeliveryOutcome): Promise<boolean> {
  switch (outcome.kind) {
    case 'wait':
      return updateSubstatus(tx, transfer, outcome.substatus);
    case 'deliveredOnChain':
    case 'reportedDelivered':
      if (isLatePayment(transfer)) return recordLateArrival(tx, transfer, outcome);
      return outcome.kind === 'deliveredOnChain'
        ? recordArrival(tx, transfer, outcome)
        : completeByReport(tx, transfer, outcome);
    case 'refunded':
      return recordRefund(tx, transfer, outcome);
    case 'failed':
      return failDelivery(tx, transfer, outcome.reason);
    case 'expired':
      return expireAction(tx, transfer.actionId);
  }
}

const REFUND_SUBSTATUSES: ReadonlySet<string | null | undefined> = new Set(['REFUND_QUEUED', 'REFUND_SENT']);

/** A requested refund keeps its substatus, although the provider may not report it yet. */
async function updateSubstatus(
  tx: Transaction,
  transfer: TransferAction,
  substatus: Substatus | undefined,
): Promise<boolean> {
  if (substatus === undefined) return false;
  const isRefund = REFUND_SUBSTATUSES.has(substatus);
  if (REFUND_SUBSTATUSES.has(transfer.substatus) && !isRefund) return false;
  // A failed action can only wait for its refund.
  const isFailed = transfer.status === 'FAILED' && isRefund;
  return changeSubstatus(tx, transfer.actionId, { substatus, ...(isFailed ? { status: 'FAILED' } : {}) });
}

/** Confirms the destination step, the last one, from the provider's report alone, and ends the action. */
async function completeByReport(
  tx: Transaction,
  transfer: TransferAction,
  { txHash, amount, flaw }: Extract<DeliveryOutcome, { readonly kind: 'reportedDelivered' }>,
): Promise<boolean> {
  const { actionId, customerId, destination, minAmountOut } = transfer;
  const { stepIndex } = destination;
  await changeStatus(tx, actionId, { transition: 'originSeen', substatus: 'WAITING_CONFIRMATIONS' });
  const { count } = await tx.actionStep.updateMany({
    where: { actionId, stepIndex, status: 'PENDING', action: { status: 'PENDING' } },
    data: { status: 'CONFIRMED', txHash: txHash ?? null, minedAt: new Date() },
  });
  if (count === 0) return false;
  const shortfall = shortfallOf(transfer, { arrived: amount ?? (flaw === undefined ? minAmountOut : undefined), flaw });
  const moved = { spent: undefined, received: amount, shortfall };
  await settleConfirmedStep(tx, { actionId, customerId, stepIndex, txHash }, moved);
  return true;
}

/** Lets a failed action whose transfer was sent go on. False when another replica was first. */
export const resumeTransfer = (tx: Transaction, { actionId, origin }: TransferAction): Promise<boolean> =>
  changeStatus(tx, actionId, {
    transition: 'originSeenLate',
    substatus: 'WAITING_DESTINATION',
    detail: { stepIndex: origin.stepIndex, late: 'true' },
  });

/** Fails the step that the provider should have carried out, and the action. False when another replica was first. */
async function failDelivery(tx: Transaction, transfer: TransferAction, reason: string): Promise<boolean> {
  const { actionId, destination } = transfer;
  const { stepIndex } = destination;
  const { count } = await tx.actionStep.updateMany({
    where: { actionId, stepIndex, status: 'PENDING', action: { status: { in: ['INITIAL', 'PENDING'] } } },
    data: { status: 'FAILED', failureReason: reason },
  });
  if (count === 0) return false;
  const neverStarted = await changeStatus(tx, actionId, { transition: 'failedBeforeOrigin', failureReason: reason });
  return neverStarted || (await changeStatus(tx, actionId, { transition: 'failed', failureReason: reason }));
}

/** The completing call as the JSON that callers see. */
export const completionJson = (call: UnsignedCall | undefined): object | null =>
  call === undefined ? null : { ...call, chainId: String(call.chainId), value: call.value.toString() };
