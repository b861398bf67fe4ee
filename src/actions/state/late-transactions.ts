import { Prisma } from '../../persistence/client/client';
import type { Database } from '../../persistence/database';
import { MAY_BE_IN_QUARANTINE } from '../../persistence/may-be-in-quarantine';

/** How long the trackers search for a late transaction of a failed action. */
const WATCH_DAYS = 7;
/** How much longer the calls of an action stay open while its transaction may be in quarantine. */
const MAX_QUARANTINE_DAYS = 7;
/** A call is closed this long after the end of its watch in any case: the deployment may no longer serve its chain. */
const MAX_UNREAD_DAYS = 14;
/** Calls that one statement closes. */
const BATCH_SIZE = 1000;

/**
 * Condition on an action, whose id is given: its wallet sends every transaction, on one chain. Then each of them may come
 * late; otherwise only the origin transaction may, because others act on it.
 */
export const isOfOneWallet = (actionId: Prisma.Sql): Prisma.Sql => Prisma.sql`
  EXISTS (SELECT 1 FROM "Action" AS own WHERE own.id = ${actionId} AND own."chainIdIn" = own."chainIdOut")
  AND NOT EXISTS (SELECT 1 FROM "Delivery" AS delivery WHERE delivery."actionId" = ${actionId})
  AND NOT EXISTS (SELECT 1 FROM "ActionStep" AS other WHERE other."actionId" = ${actionId} AND other.operator <> 'USER')`;

/**
 * Condition on an action, whose id is given: it moves tokens between chains and into or out of a strategy, so that its wallet
 * sends several transactions. Each of them may come late.
 */
export const isInvestmentBetweenChains = (actionId: Prisma.Sql): Prisma.Sql => Prisma.sql`
  EXISTS (SELECT 1 FROM "Action" AS own
           WHERE own.id = ${actionId} AND own.type IN ('CROSSCHAIN_INVESTMENT_DEPOSIT', 'CROSSCHAIN_INVESTMENT_WITHDRAW'))`;

/**
 * Condition on an action, whose id is given: the transfer between chains that is a part of it was sent, and has not arrived for
 * good. Its delivery is followed, whatever becomes of the other transactions.
 */
export const hasTransferInTransit = (actionId: Prisma.Sql): Prisma.Sql => Prisma.sql`
  EXISTS (
    SELECT 1 FROM "Delivery" AS part
      JOIN "ActionStep" AS sent ON sent."actionId" = part."actionId" AND sent."stepIndex" = part."originStep"
      JOIN "ActionStep" AS arrival ON arrival."actionId" = part."actionId" AND arrival."stepIndex" = part."destinationStep"
     WHERE part."actionId" = ${actionId} AND part.terms IS NOT NULL
       AND (sent.status = 'CONFIRMED' OR (sent.status = 'SUBMITTED' AND NOT sent.reverted))
       AND arrival.status IN ('PENDING', 'SUBMITTED'))`;

/** Condition on a call, whose action is given: each transaction of the wallet has a place of its own. */
const hasOwnPlace = (actionId: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`((${isOfOneWallet(actionId)}) OR ${isInvestmentBetweenChains(actionId)})`;

/**
 * Condition on the row `call` of an action that fails: a late transaction may still execute it. Approvals are not watched,
 * nor calls that were carried out, nor any call of a mere transfer between chains whose origin transaction succeeded.
 */
export const IS_WATCHED = Prisma.sql`
  call.kind <> 'APPROVAL' AND NOT EXISTS (
    SELECT 1 FROM "ActionStep" AS carried
     WHERE carried."actionId" = call."actionId"
       AND carried."stepIndex" = CASE WHEN ${hasOwnPlace(Prisma.sql`call."actionId"`)} THEN call."stepIndex" ELSE 0 END
       AND (carried.status = 'CONFIRMED' OR (carried.status = 'SUBMITTED' AND NOT carried.reverted)))`;

/** End of the watch of an action that fails now. */
export const WATCH_END = Prisma.sql`now() + make_interval(days => ${WATCH_DAYS})`;

interface WatchDeps {
  readonly database: Pick<Database, '$executeRaw' | '$queryRaw'>;
}

/**
 * Closes the calls of failed actions whose watch has ended. The trackers may have been down, therefore a call stays open
 * until its chain was read up to the end of its watch, or its reference was searched for after that; for two weeks at most.
 *
 * Safe to run on several replicas at once.
 */
export async function endWatches(deps: WatchDeps): Promise<void> {
  await addMissingEnds(deps);
  let closed = BATCH_SIZE;
  while (closed === BATCH_SIZE) closed = await closeBatch(deps);
}

/** Replicas of an earlier version leave the calls of expired payouts open without an end. */
async function addMissingEnds({ database }: WatchDeps): Promise<void> {
  const chains = await database.$queryRaw<{ chainId: bigint }[]>`SELECT "chainId" FROM "ChainTracker"`;
  await database.$executeRaw`
    UPDATE "ActionCall" AS call
       SET "watchedUntil" = ${WATCH_END}, "nextSearchAt" = CASE WHEN call.form = 'REFERENCE' THEN now() END
      FROM "Action" AS action
     WHERE action.id = call."actionId" AND action.status = 'FAILED' AND call.open AND call."watchedUntil" IS NULL
       AND call."chainId" = ANY(${chains.map(({ chainId }) => chainId)}::bigint[])`;
}

/** Condition on the row `call`: no late transaction was missed before the end of its watch. */
const WAS_READ = Prisma.sql`
  CASE WHEN call.form = 'REFERENCE' THEN call."nextSearchAt" IS NULL
       ELSE NOT EXISTS (
         SELECT 1 FROM "ChainTracker" AS tracker
          WHERE tracker."chainId" = call."chainId"
            AND (tracker."caughtUpAt" IS NULL OR tracker."caughtUpAt" < call."watchedUntil")) END`;

const closeBatch = ({ database }: WatchDeps): Promise<number> => database.$executeRaw`
  UPDATE "ActionCall" SET open = false
   WHERE id IN (
     SELECT call.id FROM "ActionCall" AS call JOIN "Action" AS action ON action.id = call."actionId"
      WHERE call.open AND call."watchedUntil" < now() AND action.status = 'FAILED'
        AND (call."watchedUntil" < now() - make_interval(days => ${MAX_UNREAD_DAYS})
             OR (${WAS_READ}
                 AND (call."watchedUntil" < now() - make_interval(days => ${MAX_QUARANTINE_DAYS})
                      OR NOT ${MAY_BE_IN_QUARANTINE})))
      LIMIT ${BATCH_SIZE} FOR UPDATE OF call SKIP LOCKED)`;
