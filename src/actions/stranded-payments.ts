import { FIAT_CHAIN_ID } from '../chains/chain';
import type { Database } from '../persistence/database';

/** An action of a ramp that has failed although its money was seen, and of which nothing has come back. */
export interface StrandedMoney {
  readonly actionId: string;
  readonly customerId: string;
  readonly provider: string;
  readonly substatus: string | null;
  readonly finishedAt: Date;
  /** False when nobody asks the ramp about it any more. */
  readonly watched: boolean;
}

/** The newest first. */
export const strandedMoney = ({
  database,
}: {
  readonly database: Pick<Database, '$queryRaw'>;
}): Promise<readonly StrandedMoney[]> =>
  database.$queryRaw<StrandedMoney[]>`
    SELECT action.id AS "actionId", action."customerId", delivery.provider, action.substatus, action."finishedAt",
           delivery."nextLookAt" IS NOT NULL AS watched
      FROM "Action" AS action JOIN "Delivery" AS delivery ON delivery."actionId" = action.id
     WHERE action.status = 'FAILED' AND ${FIAT_CHAIN_ID} IN (action."chainIdIn", action."chainIdOut")
       AND EXISTS (SELECT 1 FROM "ActionStep" AS step
                    WHERE step."actionId" = action.id AND step."stepIndex" = 0 AND step.status = 'CONFIRMED')
       AND NOT EXISTS (SELECT 1 FROM "ActionStep" AS step
                        WHERE step."actionId" = action.id AND step."stepIndex" > 0 AND step.status IN ('SUBMITTED', 'CONFIRMED'))
     ORDER BY action."finishedAt" DESC LIMIT 1000`;

/** Has the ramp of an action that has failed asked about it again. False when there is none, or nothing to ask. */
export async function resumeAction(
  { database }: { readonly database: Pick<Database, '$executeRaw'> },
  actionId: string,
): Promise<boolean> {
  const resumed = await database.$executeRaw`
    UPDATE "Delivery" AS delivery SET "nextLookAt" = now(), looks = 0
      FROM "Action" AS action
     WHERE action.id = ${actionId}::uuid AND delivery."actionId" = action.id AND action.status = 'FAILED'
       AND ${FIAT_CHAIN_ID} IN (action."chainIdIn", action."chainIdOut")`;
  return resumed === 1;
}
