import type { Actor } from '../auth/audit-log';
import { assertNotBlocked } from '../auth/sanctions';
import { addressKey } from '../chains/addresses';
import { serviceError } from '../errors/service-error';
import type { ActionView } from './action-view';
import { type ActionReference, findActionRow, getAction } from './get-action';
import type { ActionDeps } from './list-actions';

export interface OrderCancel extends ActionReference {
  /** The user of the dashboard who requests it. */
  readonly actor?: Actor | undefined;
}

/** Cancels orders that wait to be filled. */
export interface OrderCanceller {
  /**
   * Makes the action of an order REFUNDED and queues the refund. Idempotent. False when the action has no order that can ever
   * be cancelled.
   *
   * @throws VALIDATION_ERROR when the order is filled, expired or not funded; LENDING_SERVICE_UNAVAILABLE when the chain needs
   * longer; ACTION_CANCEL_REFUND_QUEUE_FAILED, TOKENIZED_STOCK_NOT_CONFIGURED
   */
  cancel(request: OrderCancel): Promise<boolean>;
}

export interface CancelDeps extends ActionDeps {
  readonly blockedAddresses: ReadonlySet<string>;
  readonly orders: OrderCanceller;
}

export interface CancelRequest extends OrderCancel {
  /** Wallet with which the action was created. */
  readonly wallet: string;
}

/**
 * Cancels an action. Only an order with a limit price that waits to be filled can be cancelled: a transaction that was handed
 * out for signature cannot be called back.
 *
 * @throws FORBIDDEN for a blocked wallet; ACTION_NOT_FOUND when the customer has no such action of the wallet;
 * INVALID_ACTION_TYPE for every other action; the errors of `OrderCanceller`
 */
export async function cancelAction(
  deps: CancelDeps,
  { wallet, actor, ...reference }: CancelRequest,
): Promise<ActionView> {
  assertNotBlocked(deps.blockedAddresses, [wallet]);
  const row = await findActionRow(deps, reference);
  const isOwn = row !== undefined && addressKey(row.originAddress) === addressKey(wallet);
  if (!isOwn) throw serviceError('ACTION_NOT_FOUND', { actionId: reference.actionId });
  if (!(await deps.orders.cancel({ ...reference, actor })))
    throw serviceError('INVALID_ACTION_TYPE', { type: row.type });
  return getAction(deps, reference);
}
