import type { CustomerId } from '../auth/principal';
import { FIAT_CHAIN_ID } from '../chains/chain';
import type { ActionStatus } from '../persistence/client/enums';
import type { Database } from '../persistence/database';

interface ActionOfCustomer {
  readonly actionId: string;
  readonly customerId: CustomerId;
}

/**
 * The status of an action whose transaction or fiat payment was seen, or which has ended: nothing more may be signed or paid
 * for it. `undefined` for any other action. A deposit address stays the same, whatever happened to it.
 */
export async function findStartedStatus(
  database: Pick<Database, '$queryRaw'>,
  { actionId, customerId }: ActionOfCustomer,
): Promise<ActionStatus | undefined> {
  const [started] = await database.$queryRaw<{ status: ActionStatus }[]>`
    SELECT action.status FROM "Action" AS action
     WHERE action.id = ${actionId}::uuid AND action."customerId" = ${customerId}::uuid
       AND (action.status NOT IN ('INITIAL', 'PENDING') OR EXISTS (
         SELECT 1 FROM "ActionStep" AS step
          WHERE step."actionId" = action.id AND step."stepIndex" = 0 AND step.status <> 'PENDING'))
       AND (action."chainIdIn" = ${FIAT_CHAIN_ID} OR NOT EXISTS (
         SELECT 1 FROM "Delivery" AS delivery WHERE delivery."actionId" = action.id AND delivery.deposit IS NOT NULL))`;
  return started?.status;
}

/** The status of an action. */
export async function readActionStatus(
  database: Pick<Database, '$queryRaw'>,
  { actionId, customerId }: ActionOfCustomer,
): Promise<ActionStatus> {
  const [action] = await database.$queryRaw<{ status: ActionStatus }[]>`
    SELECT status FROM "Action" WHERE id = ${actionId}::uuid AND "customerId" = ${customerId}::uuid`;
  return action?.status ?? 'INITIAL';
}
