import { FIAT_CHAIN_ID } from '../chains/chain';
import type { Database } from '../persistence/database';
import { POLL_NOW } from './state/poll-now';

/** A failed ramp action whose payment was seen, and neither delivered nor refunded. */
export interface StrandedPayment {
  readonly actionId: string;
  readonly customerId: string;
  readonly provider: string;
  readonly substatus: string | null;
  readonly finishedAt: Date;
  /** False when the delivery is no longer polled. */
  readonly watched: boolean;
}

/** The newest 1000 stranded payments, newest first. */
export const listStrandedPayments = ({
  database,
}: {
  readonly database: Pick<Database, '$queryRaw'>;
}): Promise<readonly StrandedPayment[]> =>
  database.$queryRaw<StrandedPayment[]>`
    SELECT action.id AS "actionId", action."customerId", delivery.provider, action.substatus, action."finishedAt",
           delivery.phase = 'ACTIVE' AS watched
      FROM "Action" AS action JOIN "Delivery" AS delivery ON delivery."actionId" = action.id
     WHERE action.status = 'FAILED' AND ${FIAT_CHAIN_ID} IN (action."chainIdIn", action."chainIdOut")
       AND EXISTS (SELECT 1 FROM "ActionStep" AS step
                    WHERE step."actionId" = action.id AND step."stepIndex" = 0 AND step.status = 'CONFIRMED')
       AND NOT EXISTS (SELECT 1 FROM "ActionStep" AS step
                        WHERE step."actionId" = action.id AND step."stepIndex" > 0 AND step.status IN ('SUBMITTED', 'CONFIRMED'))
     ORDER BY action."finishedAt" DESC LIMIT 1000`;

/** Schedules a poll of a failed ramp action. False when there is no such action, or it has no delivery. */
export async function resumeAction(
  { database }: { readonly database: Pick<Database, '$executeRaw'> },
  actionId: string,
): Promise<boolean> {
  const resumed = await database.$executeRaw`
    UPDATE "Delivery" AS delivery SET ${POLL_NOW}
      FROM "Action" AS action
     WHERE action.id = ${actionId}::uuid AND delivery."actionId" = action.id AND action.status = 'FAILED'
       AND ${FIAT_CHAIN_ID} IN (action."chainIdIn", action."chainIdOut")`;
  return resumed === 1;
}
