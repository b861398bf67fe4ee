import { FIAT_CHAIN_ID } from '../../chains/chain';
import { Prisma } from '../../persistence/client/client';
import type { ActionStatus } from '../../persistence/client/enums';
import type { Database, Transaction } from '../../persistence/database';
import { transition } from './transition';

export interface ExpiryDeps {
  readonly database: Database;
  /** Providers that have to be asked before an action of theirs is given up: whoever follows deliveries does that. */
  readonly askedBefore?: readonly string[];
}

/** A provider that could not be asked for so long is waited for no more. */
const DAYS_TO_BE_ASKED = 7;
/** Actions ended in one transaction, so that none grows without bound. */
const BATCH = 100;

/**
 * Ends the actions of which nothing was seen in time, by the database's clock: INITIAL ones, and pending ones whose
 * transaction vanished in a reorganisation and never came back. An action is not given up before its chain has been
 * read up to the moment of its expiry, and a deposit not before it was looked for after that: whoever looks may have been
 * down. What has arrived at its destination is never given up.
 *
 * Where the provider has to be asked first, its delivery is woken instead, for a week.
 *
 * Safe to run on several replicas at once. Returns how many were ended.
 */
export async function expireActions({ database, askedBefore = [] }: ExpiryDeps): Promise<number> {
  await wakeDeliveries(database, askedBefore);
  let [ended, total] = [BATCH, 0];
  while (ended === BATCH) {
    ended = await database.$transaction((tx) => expireBatch(tx, askedBefore));
    total += ended;
  }
  return total;
}

/** True of the row `action` when nothing was seen of it in time. */
const IS_DUE = Prisma.sql`
  action."expiresAt" < now()
  AND (action.status = 'INITIAL' OR (action.status = 'PENDING' AND action.substatus = 'WAITING_ORIGIN'))
  AND NOT EXISTS (
    SELECT 1 FROM "ChainTracker" AS tracker
     WHERE tracker."chainId" = action."chainIdIn"
       AND (tracker."caughtUpAt" IS NULL OR tracker."caughtUpAt" < action."expiresAt"))
  AND NOT EXISTS (
    SELECT 1 FROM "Delivery" AS looked
     WHERE looked."actionId" = action.id AND looked.deposit IS NOT NULL
       AND (looked."lastFailure" IS NOT NULL OR looked."updatedAt" < action."expiresAt"))
  AND NOT EXISTS (
    SELECT 1 FROM "ActionStep" AS step
     WHERE step."actionId" = action.id AND step.status IN ('SUBMITTED', 'CONFIRMED'))`;

interface DueAction {
  readonly id: string;
  readonly status: ActionStatus;
}

async function expireBatch(tx: Transaction, askedBefore: readonly string[]): Promise<number> {
  const due = await tx.$queryRaw<DueAction[]>`
    SELECT action.id, action.status FROM "Action" AS action
     WHERE ${IS_DUE}
       AND (action."expiresAt" < now() - make_interval(days => ${DAYS_TO_BE_ASKED}) OR NOT EXISTS (
         SELECT 1 FROM "Delivery" AS delivery
          WHERE delivery."actionId" = action.id AND delivery.provider = ANY(${[...askedBefore]})))
     LIMIT ${BATCH} FOR UPDATE OF action SKIP LOCKED`;
  for (const action of due) await expire(tx, action);
  return due.length;
}

/** Those that sleep: nothing was seen of them. */
async function wakeDeliveries(database: Database, askedBefore: readonly string[]): Promise<void> {
  if (askedBefore.length === 0) return;
  await database.$executeRaw`
    UPDATE "Delivery" AS delivery SET "nextLookAt" = now(), looks = 0
      FROM "Action" AS action
     WHERE action.id = delivery."actionId" AND delivery.provider = ANY(${[...askedBefore]})
       AND delivery."nextLookAt" IS NULL AND ${IS_DUE}`;
}

/** The action, held to the end of the transaction, if nothing was seen of it in time. */
async function dueAction(tx: Pick<Transaction, '$queryRaw'>, actionId: string): Promise<DueAction | undefined> {
  const [due] = await tx.$queryRaw<DueAction[]>`
    SELECT action.id, action.status FROM "Action" AS action
     WHERE action.id = ${actionId}::uuid AND ${IS_DUE} FOR UPDATE OF action`;
  return due;
}

/** True when nothing was seen of an action in time. */
export const isDueToExpire = async (database: Pick<Database, '$queryRaw'>, actionId: string): Promise<boolean> =>
  (await dueAction(database, actionId)) !== undefined;

/** Ends an action of which nothing was seen in time. False when something was. */
export async function expireAction(tx: Transaction, actionId: string): Promise<boolean> {
  const due = await dueAction(tx, actionId);
  if (due !== undefined) await expire(tx, due);
  return due !== undefined;
}

async function expire(tx: Transaction, { id, status }: DueAction): Promise<void> {
  await transition(tx, id, {
    edge: status === 'INITIAL' ? 'givenUp' : 'failed',
    substatus: 'EXPIRED',
    failureReason: 'No transaction that executes the action was seen in time',
  });
  await watchPayout(tx, id);
}

/** What is sent to a ramp later on would lie there: its transactions are looked for on, and its delivery from now and then. */
async function watchPayout(tx: Transaction, actionId: string): Promise<void> {
  await tx.$executeRaw`
    WITH payout AS (
      SELECT action.id FROM "Action" AS action JOIN "Delivery" AS delivery ON delivery."actionId" = action.id
       WHERE action.id = ${actionId}::uuid AND action."chainIdOut" = ${FIAT_CHAIN_ID}
    ), sought AS (
      UPDATE "ActionCall" SET open = true WHERE "actionId" IN (SELECT id FROM payout) AND kind <> 'APPROVAL'
    )
    UPDATE "Delivery" SET "nextLookAt" = now(), looks = 0 WHERE "actionId" IN (SELECT id FROM payout)`;
}
