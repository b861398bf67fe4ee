import { Prisma } from './client/client';
import { MAY_BE_IN_QUARANTINE } from './may-be-in-quarantine';

/**
 * Condition on the row `spending`: the sponsored operation was not executed and never will be. It has expired, the tracker
 * has read its chain beyond that time without finding it, and none of its transactions is in quarantine. The last condition
 * is a value instead of an EXISTS, which PostgreSQL may compute for all actions at once.
 */
export const IS_UNUSED_SPONSORSHIP = Prisma.sql`(
  spending."validUntil" IS NOT NULL
  AND EXISTS (SELECT 1 FROM "ChainTracker" AS tracker
               WHERE tracker."chainId" = spending."chainId"
                 AND tracker."caughtUpAt" > spending."validUntil" + interval '2 minutes')
  AND NOT EXISTS (SELECT 1 FROM "ActionStep" AS step
                   WHERE step."actionId" = spending."actionId" AND step."txHash" IS NOT NULL)
  AND (SELECT ${MAY_BE_IN_QUARANTINE} FROM "Action" AS action WHERE action.id = spending."actionId") IS NOT TRUE)`;
