import { Prisma } from './client/client';

/**
 * Condition on the row `action`: a transaction that executes it may be in quarantine. It is among the items of the
 * action, among the transactions of its wallet, or in a block of its origin chain that could not be read.
 */
export const MAY_BE_IN_QUARANTINE = Prisma.sql`EXISTS (
  SELECT 1 FROM "Quarantine" AS item
   WHERE item."actionId" = action.id
      OR (item."chainId" = action."chainIdIn" AND item.stage IN ('block', 'transaction')
          AND (item.sender IS NULL OR item.sender = lower(action."originAddress"))
          AND item."createdAt" >= action."createdAt"))`;
