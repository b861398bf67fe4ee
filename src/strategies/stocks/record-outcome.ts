import { z } from 'zod';
import { changeStatus, changeSubstatus } from '../../actions/state/change-status';
import { settleConfirmedStep } from '../../actions/state/settle-confirmed-step';
import { invariant } from '../../errors/invariant-error';
import type { Database, Transaction } from '../../persistence/database';
import { finishOrderAttempt, IS_FREE } from './claim-orders';
import type { StockOrder } from './stock-order';
import type { MinedTransaction, OrderFill } from './stock-venue';

/** Steps of the action: the transfer to the order wallet, the order, and the refund if there is one. */
const ORDER_STEP = 1;
const REFUND_STEP = 2;

interface OutcomeDeps {
  readonly database: Pick<Database, '$transaction'>;
}

/** Ends the action of a filled order. False when the lease has ended. */
export async function recordFill({ database }: OutcomeDeps, order: StockOrder, fill: OrderFill): Promise<boolean> {
  const { actionId, customerId } = order;
  const { txHash, sellAmount, buyAmount } = fill;
  const at = dateOf(fill.timestamp);
  return database.$transaction(async (tx) => {
    const stored = { sellAmount, buyAmount, txHash, at };
    if (!(await finishOrderAttempt(tx, order, { step: 'SWEEPING', nextInMs: 0, fill: stored }))) return false;
    await tx.actionStep.updateMany({
      where: { actionId, customerId, stepIndex: ORDER_STEP },
      data: { status: 'CONFIRMED', ...placeOf(fill) },
    });
    const moved = { spent: sellAmount, received: buyAmount };
    await settleConfirmedStep(tx, { actionId, customerId, stepIndex: ORDER_STEP, txHash }, moved);
    return true;
  });
}

/** An order that cannot be filled any more: its tokens go back, and the action ends once they have arrived. */
export async function startRefund({ database }: OutcomeDeps, order: StockOrder): Promise<boolean> {
  return database.$transaction(async (tx) => {
    if (!(await finishOrderAttempt(tx, order, { step: 'REFUNDING', nextInMs: 0 }))) return false;
    await queueRefundOf(tx, order);
    return true;
  });
}

/** Tokens that came after the action had failed go back. False when the order waits for none any more. */
export async function recordLateFunds({ database }: OutcomeDeps, order: StockOrder): Promise<boolean> {
  const { actionId, customerId } = order;
  return database.$transaction(async (tx) => {
    const changed = await tx.$executeRaw`
      UPDATE "StockOrder" AS own SET step = 'REFUNDING', "nextAt" = now(), "updatedAt" = now()
       WHERE own."actionId" = ${actionId}::uuid AND own."customerId" = ${customerId}::uuid
         AND own.step = 'AWAITING_FUNDS' AND ${IS_FREE}`;
    if (changed === 1) await queueRefundOf(tx, order);
    return changed === 1;
  });
}

async function queueRefundOf(tx: Transaction, { actionId }: StockOrder): Promise<void> {
  const substatus = 'REFUND_QUEUED';
  if (!(await changeSubstatus(tx, actionId, { substatus })))
    await changeSubstatus(tx, actionId, { substatus, status: 'FAILED' });
}

/**
 * Decides that an order is cancelled: the action is REFUNDED, and its refund is due. One conditional update decides between
 * this and the fill. False when the lease has ended.
 */
export async function recordCancel({ database }: OutcomeDeps, order: StockOrder): Promise<boolean> {
  return database.$transaction(async (tx) => {
    if (!(await finishOrderAttempt(tx, order, { step: 'REFUND_DUE', nextInMs: QUEUE_RETRY_MS }))) return false;
    const isRefunded = await changeToRefunded(tx, order, { substatus: 'REFUND_QUEUED', reason: reasonOf(order) });
    invariant(isRefunded, `the action ${order.actionId} has ended while its order was open`);
    return true;
  });
}

/** After this time a worker queues a refund that the cancelling request could not queue. */
const QUEUE_RETRY_MS = 3000;
const CANCELLED = 'The order was cancelled';
const REFUSED = 'The order book refused the order';
const reasonOf = ({ cancelCause }: StockOrder): string => (cancelCause === 'REFUSAL' ? REFUSED : CANCELLED);

interface SentRefund {
  readonly mined: MinedTransaction;
  /** Base units of the token sold. */
  readonly amount: bigint;
}

/** Records that the tokens are back. False when the lease has ended. */
export async function recordOrderRefund(
  { database }: OutcomeDeps,
  order: StockOrder,
  { mined, amount }: SentRefund,
): Promise<boolean> {
  const { actionId, customerId } = order;
  return database.$transaction(async (tx) => {
    if (!(await finishOrderAttempt(tx, order, { step: 'SWEEPING', nextInMs: 0, isRefunded: true }))) return false;
    const substatus = 'REFUND_SENT';
    const reason = 'The order was not filled in time';
    if (!(await changeToRefunded(tx, order, { substatus, reason, amount }))) {
      const detail = { ...(await refundDetail(tx, order, amount)), txHash: mined.txHash };
      await changeSubstatus(tx, actionId, { substatus, status: 'REFUNDED', detail });
    }
    await tx.actionStep.updateMany({
      where: { actionId, customerId, stepIndex: REFUND_STEP },
      data: { status: 'CONFIRMED', ...placeOf(mined) },
    });
    return true;
  });
}

/** Ends an order whose wallet has had no tokens to return for long. Its action fails, unless it has ended before. */
export async function recordLost({ database }: OutcomeDeps, order: StockOrder): Promise<boolean> {
  return database.$transaction(async (tx) => {
    if (!(await finishOrderAttempt(tx, order, { step: 'ENDED', nextInMs: 0 }))) return false;
    const failureReason = 'The tokens of the order are not in its wallet';
    await changeStatus(tx, order.actionId, { transition: 'failed', failureReason });
    return true;
  });
}

interface Refunded {
  readonly substatus: 'REFUND_QUEUED' | 'REFUND_SENT';
  readonly reason: string;
  /** The amount of the order when absent. */
  readonly amount?: bigint;
}

/** Makes the action REFUNDED and adds the refund as its last step. False when it was REFUNDED before. */
async function changeToRefunded(
  tx: Transaction,
  order: StockOrder,
  { substatus, reason, amount = order.sellAmount }: Refunded,
): Promise<boolean> {
  const { actionId, customerId, chainId } = order;
  const detail = await refundDetail(tx, order, amount);
  const change = { transition: 'refunded', substatus, failureReason: reason, detail } as const;
  if (!(await changeStatus(tx, actionId, change))) return false;
  const step = { kind: 'REFUND', operator: 'SERVICE', protocol: 'transfer', chainId, status: 'PENDING' } as const;
  await tx.actionStep.create({ data: { actionId, customerId, stepIndex: REFUND_STEP, ...step } });
  return true;
}

const soldToken = z.object({ address: z.string(), symbol: z.string(), name: z.string(), decimals: z.int() });

/** A refund, as the view of actions reads it. */
async function refundDetail(
  tx: Transaction,
  { actionId, customerId, chainId, owner }: StockOrder,
  amount: bigint,
): Promise<Readonly<Record<string, string | number>>> {
  const where = { id: actionId, customerId };
  const { tokenIn } = await tx.action.findUniqueOrThrow({ where, select: { tokenIn: true } });
  const { address, symbol, name, decimals } = soldToken.parse(tokenIn);
  return { token: address, symbol, name, decimals, chainId, amount: amount.toString(), owner };
}

const dateOf = (seconds: bigint): Date => new Date(Number.parseInt(seconds.toString(), 10) * 1000);

const placeOf = ({ txHash, blockNumber, blockHash, timestamp }: MinedTransaction) => ({
  txHash,
  blockNumber,
  blockHash,
  minedAt: dateOf(timestamp),
});
