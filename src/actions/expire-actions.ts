import type { Database, Transaction } from '../persistence/database';
import { transition } from './transition';

/** Actions ended in one transaction, so that none grows without bound. */
const BATCH = 100;

/**
 * Ends the actions of which nothing was seen in time, by the database's clock: INITIAL ones, and pending ones whose
 * transaction vanished in a reorganisation and never came back. An action is not given up before its chain has been
 * read up to the moment of its expiry, and a deposit not before it was looked for after that: whoever looks may have been
 * down. What has arrived at its destination is never given up.
 *
 * Safe to run on several replicas at once. Returns how many were ended.
 */
export async function expireActions({ database }: { readonly database: Database }): Promise<number> {
  let [ended, total] = [BATCH, 0];
  while (ended === BATCH) {
    ended = await database.$transaction(expireBatch);
    total += ended;
  }
  return total;
}

async function expireBatch(tx: Transaction): Promise<number> {
  const due = await tx.$queryRaw<{ id: string; status: 'INITIAL' | 'PENDING' }[]>`
    SELECT action.id, action.status FROM "Action" AS action
     WHERE action."expiresAt" < now()
       AND (action.status = 'INITIAL' OR (action.status = 'PENDING' AND action.substatus = 'WAITING_ORIGIN'))
       AND NOT EXISTS (
         SELECT 1 FROM "ChainTracker" AS tracker
          WHERE tracker."chainId" = action."chainIdIn"
            AND (tracker."caughtUpAt" IS NULL OR tracker."caughtUpAt" < action."expiresAt"))
       AND NOT EXISTS (
         SELECT 1 FROM "Delivery" AS delivery
          WHERE delivery."actionId" = action.id AND delivery.deposit IS NOT NULL
            AND (delivery."lastFailure" IS NOT NULL OR delivery."updatedAt" < action."expiresAt"))
       AND NOT EXISTS (
         SELECT 1 FROM "ActionStep" AS step
          WHERE step."actionId" = action.id AND step.status IN ('SUBMITTED', 'CONFIRMED'))
     LIMIT ${BATCH} FOR UPDATE OF action SKIP LOCKED`;
  for (const { id, status } of due) {
    await transition(tx, id, {
      edge: status === 'INITIAL' ? 'givenUp' : 'failed',
      substatus: 'EXPIRED',
      failureReason: 'No transaction that executes the action was seen in time',
    });
  }
  return due.length;
}
