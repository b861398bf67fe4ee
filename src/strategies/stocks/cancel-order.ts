import type { OrderCancel, OrderCanceller } from '../../actions/cancel-action';
import { recordAudit } from '../../auth/audit-log';
import { sleep } from '../../async/sleep';
import { isServiceError, serviceError, type ServiceError } from '../../errors/service-error';
import { validationError } from '../../errors/validation';
import type { Logger } from 'pino';
import { describeFailure } from '../../errors/describe-failure';
import type { Database } from '../../persistence/database';
import { hasAdvanced, settleCancel } from './advance-order';
import { claimForCancel, finishOrderAttempt, type OrderReference, queueRefund } from './claim-orders';
import { findStockOrders, type StockOrder } from './stock-order';
import type { StockVenue } from './stock-venue';

export interface CancelOrderDeps {
  readonly database: Database;
  /** `undefined` where the deployment has no settings for orders. */
  readonly venue: StockVenue | undefined;
  readonly log: Pick<Logger, 'warn'>;
  /** How long a request waits until the order is invalid for good; then a worker goes on. */
  readonly timeoutMs?: number;
  /** Interval of its polls of the chain, and of the work of another replica. */
  readonly pollMs?: number;
}

const TIMEOUT_MS = 15_000;
const POLL_MS = 2500;

/**
 * Cancels orders with a limit price. An order ends on chain only, so that it is made invalid there first: then the action is
 * REFUNDED, and then the refund is queued.
 */
export const createOrderCanceller = (deps: CancelOrderDeps): OrderCanceller => ({
  cancel: (request) => cancelOrder(deps, request),
});

async function cancelOrder(deps: CancelOrderDeps, request: OrderCancel): Promise<boolean> {
  const { customerId, actionId } = request;
  const reference = { customerId, actionId };
  const order = await findOrder(deps, reference);
  if (order === undefined || order.limitPriceCents === undefined) return false;
  const { venue, timeoutMs = TIMEOUT_MS } = deps;
  if (venue === undefined) throw serviceError('TOKENIZED_STOCK_NOT_CONFIGURED');
  await untilCancelled(deps, { request, venue, until: Date.now() + timeoutMs });
  await queue(deps, reference);
  return true;
}

const findOrder = async (
  { database }: CancelOrderDeps,
  { customerId, actionId }: OrderReference,
): Promise<StockOrder | undefined> =>
  (await findStockOrders(database, { customerId, actionIds: [actionId] })).get(actionId);

interface Cancelling {
  readonly request: OrderCancel;
  readonly venue: StockVenue;
  /** Unix milliseconds. */
  readonly until: number;
}

/** Resolves once the action is REFUNDED because of a cancel, by this request or another one. */
async function untilCancelled(deps: CancelOrderDeps, { request, venue, until }: Cancelling): Promise<void> {
  while (Date.now() < until) {
    const claimed = await claim(deps, request);
    if (claimed === undefined) {
      if (await isCancelled(deps, request)) return;
      await sleep(deps.pollMs ?? POLL_MS);
      continue;
    }
    const outcome = await invalidate(deps, { order: claimed, venue, until });
    if (outcome === 'cancelled') return;
    if (outcome === 'filled') throw notCancellable('it is filled');
  }
  throw unfinished();
}

/** Leases the order, and records once for each user who cancels it. */
const claim = ({ database }: CancelOrderDeps, { actor, ...reference }: OrderCancel): Promise<StockOrder | undefined> =>
  database.$transaction(async (tx) => {
    const claimed = await claimForCancel({ database: tx }, reference);
    if (claimed === undefined || actor === undefined) return claimed;
    const { customerId, actionId: targetId } = reference;
    const change = { operation: 'cancelAction', targetType: 'action', targetId } as const;
    const where = { customerId, targetId, operation: change.operation, subject: actor.subject };
    if ((await tx.auditEntry.findFirst({ where, select: { id: true } })) === null) await recordAudit(tx, actor, change);
    return claimed;
  });

/** True when the order was cancelled before. @throws VALIDATION_ERROR when it cannot be cancelled any more, or not yet */
async function isCancelled(deps: CancelOrderDeps, reference: OrderReference): Promise<boolean> {
  const order = await findOrder(deps, reference);
  if (order === undefined) return false;
  const { actionStatus, fundingStatus, step } = order;
  if (actionStatus === 'REFUNDED') return true;
  if (actionStatus === 'SUCCESS' || step === 'SWEEPING') throw notCancellable('it is filled');
  if (actionStatus !== 'PENDING') throw notCancellable('its funds have not arrived');
  if (step === 'AWAITING_FUNDS' && fundingStatus !== 'CONFIRMED') throw notCancellable('its funds are not final yet');
  if (step === 'REFUNDING' || step === 'ENDED') throw notCancellable('it has expired, and its tokens are returned');
  return false; // another replica carries it on for a moment
}

interface Claimed {
  readonly order: StockOrder;
  readonly venue: StockVenue;
  readonly until: number;
}

/** Invalidates a leased order. At the end of the time, or when the chain does not respond, a worker goes on. */
async function invalidate(deps: CancelOrderDeps, { order: claimed, venue, until }: Claimed) {
  let order = claimed;
  let isContinued = false;
  try {
    while (Date.now() < until) {
      const outcome = await settleCancel({ database: deps.database, venue }, order, { isContinued });
      if (typeof outcome === 'object' && 'next' in outcome) {
        isContinued = true;
        order = await searchedUntil(deps, order, outcome.next);
        continue;
      }
      if (typeof outcome === 'object') {
        await finishOrderAttempt(deps.database, order, { nextInMs: 0, lastFailure: outcome.obstacle });
        throw unfinished();
      }
      if (outcome !== 'waiting') return outcome;
      await sleep(deps.pollMs ?? POLL_MS);
    }
  } catch (error) {
    await finishOrderAttempt(deps.database, order, { nextInMs: 0 });
    if (isServiceError(error) && error.code === 'PROVIDER_UNAVAILABLE') throw unfinished(error);
    throw error;
  }
  await finishOrderAttempt(deps.database, order, { nextInMs: 0 });
  throw unfinished();
}

/** The order after a part of the search for its settlement. A node that is behind gets time. */
async function searchedUntil(
  { database, pollMs = POLL_MS }: CancelOrderDeps,
  order: StockOrder,
  fromBlock: bigint,
): Promise<StockOrder> {
  if (hasAdvanced(order, fromBlock))
    await finishOrderAttempt(database, order, { fromBlock, nextInMs: 0, keepLease: true });
  else await sleep(pollMs);
  return { ...order, fromBlock };
}

/** @throws ACTION_CANCEL_REFUND_QUEUE_FAILED; then a worker queues the refund after a moment */
async function queue({ database, log }: CancelOrderDeps, reference: OrderReference): Promise<void> {
  try {
    await queueRefund({ database }, reference);
  } catch (cause) {
    log.warn(
      { actionId: reference.actionId, cause: describeFailure(cause) },
      'the refund of an order could not be queued',
    );
    throw serviceError('ACTION_CANCEL_REFUND_QUEUE_FAILED', {}, { cause });
  }
}

const notCancellable = (reason: string): ServiceError =>
  validationError([{ path: 'id', message: `belongs to an order that cannot be cancelled: ${reason}` }]);

const unfinished = (cause?: unknown): ServiceError => {
  const reason = 'the cancellation goes on: repeat the request for its result';
  return serviceError('LENDING_SERVICE_UNAVAILABLE', {}, { details: { reason }, cause });
};
