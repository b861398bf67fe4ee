import { assertNotBlocked } from '../auth/sanctions';
import { addressKey } from '../chains/addresses';
import { serviceError } from '../errors/service-error';
import type { ActionView } from './action-view';
import { type ActionReference, findActionRow } from './get-action';
import type { ActionDeps } from './list-actions';

export interface CancelDeps extends ActionDeps {
  readonly blockedAddresses: ReadonlySet<string>;
}

export interface CancelRequest extends ActionReference {
  /** Wallet with which the action was created. */
  readonly wallet: string;
}

/**
 * Cancels an action. Only an order with a limit price that waits to be filled can be cancelled, and this version has no type
 * of action with such orders: a transaction that was handed out for signature cannot be called back.
 *
 * @throws FORBIDDEN for a blocked wallet; ACTION_NOT_FOUND when the customer has no such action of the wallet;
 * INVALID_ACTION_TYPE for every other action
 */
export async function cancelAction(deps: CancelDeps, { wallet, ...reference }: CancelRequest): Promise<ActionView> {
  assertNotBlocked(deps.blockedAddresses, [wallet]);
  const row = await findActionRow(deps, reference);
  const isOwn = row !== undefined && addressKey(row.originAddress) === addressKey(wallet);
  if (!isOwn) throw serviceError('ACTION_NOT_FOUND', { actionId: reference.actionId });
  throw serviceError('INVALID_ACTION_TYPE', { type: row.type });
}
