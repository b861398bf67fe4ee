import type { CustomerId } from '../auth/principal';
import { serviceError } from '../errors/service-error';
import { ACTION_COLUMNS, type ActionRow, parseActionRow } from './action-row';
import { type ActionView, actionView } from './action-view';
import type { ActionDeps } from './list-actions';

export interface ActionReference {
  readonly customerId: CustomerId;
  readonly actionId: string;
}

/** @throws ACTION_NOT_FOUND when the customer has no such action. */
export async function getAction(deps: ActionDeps, reference: ActionReference): Promise<ActionView> {
  const row = await findActionRow(deps, reference);
  if (row === undefined) throw serviceError('ACTION_NOT_FOUND', { actionId: reference.actionId });
  return actionView(deps.chains, row);
}

/** The action with that id; with `orQuote` also the action of the quote with that id. */
export async function findActionRow(
  { database }: Pick<ActionDeps, 'database'>,
  { customerId, actionId, orQuote = false }: ActionReference & { readonly orQuote?: boolean },
): Promise<ActionRow | undefined> {
  const [row] = await database.$queryRaw<unknown[]>`
    SELECT ${ACTION_COLUMNS} FROM "Action" AS action
     WHERE action."customerId" = ${customerId}::uuid
       AND (action.id = ${actionId}::uuid OR (${orQuote} AND action."quoteId" = ${actionId}::uuid))`;
  return row === undefined ? undefined : parseActionRow(row);
}

/** The customer's actions with these ids, in their order; `undefined` for others. One query. */
export async function findActions(
  { database, chains }: ActionDeps,
  { customerId, actionIds }: { readonly customerId: CustomerId; readonly actionIds: readonly string[] },
): Promise<readonly (ActionView | undefined)[]> {
  const rows = await database.$queryRaw<unknown[]>`
    SELECT ${ACTION_COLUMNS} FROM "Action" AS action
     WHERE action."customerId" = ${customerId}::uuid AND action.id = ANY(${[...actionIds]}::uuid[])`;
  const byId = new Map(rows.map((row) => actionView(chains, parseActionRow(row))).map((view) => [view.id, view]));
  return actionIds.map((id) => byId.get(id));
}
