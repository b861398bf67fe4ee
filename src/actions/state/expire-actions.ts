import { FIAT_CHAIN_ID } from '../../chains/chain';
import { Prisma } from '../../persistence/client/client';
import type { ActionStatus } from '../../persistence/client/enums';
import type { Database, Transaction } from '../../persistence/database';
import { MAY_BE_IN_QUARANTINE } from '../../persistence/may-be-in-quarantine';
import { FEE_PROTOCOL } from '../../transactions/action-plan';
import { POLL_NOW } from './poll-now';
import { changeStatus } from './change-status';
import { endWatches, hasTransferInTransit } from './late-transactions';

export interface ExpiryDeps {
  readonly database: Database;
  /** Providers whose transfers have to be cancelled before their actions expire; the deliveries do that. */
  readonly cancellableProviders?: readonly string[];
}

/** An action expires without a cancellation when its provider has not responded for this long. */
const MAX_CANCELLATION_DAYS = 7;
/** An action expires although its transaction may be in quarantine when it has waited for this long. */
const MAX_QUARANTINE_DAYS = 7;
/** Actions that one transaction ends. */
const BATCH_SIZE = 100;

/**
 * Fails the actions whose origin was not seen in time, by the clock of the database: INITIAL actions, and PENDING ones
 * whose transaction vanished in a reorganisation and did not return. The trackers and polls may have been down, therefore
 * an action expires only after its chain was read up to the moment of its expiry, and a deposit only after a later poll.
 * An action whose tokens have arrived at the destination does not expire, nor one whose transaction may be in quarantine, nor
 * the deployment of a smart account that the service has sent.
 * Actions with several transactions fail as well when only some of them were sent in time.
 *
 * Where the provider has to cancel the transfer first, a poll of the delivery is scheduled instead, for up to a week.
 *
 * The transaction of an expired action may still be mined: the trackers search for it for another week, and those searches
 * end here as well.
 *
 * Safe to run on several replicas at once. Returns the number of actions that expired.
 */
export async function expireActions({ database, cancellableProviders = [] }: ExpiryDeps): Promise<number> {
  await scheduleCancellations(database, cancellableProviders);
  let [ended, total] = [BATCH_SIZE, 0];
  while (ended === BATCH_SIZE) {
    ended = await database.$transaction((tx) => expireBatch(tx, cancellableProviders));
    total += ended;
  }
  ended = BATCH_SIZE;
  while (ended === BATCH_SIZE) {
    ended = await database.$transaction(endUnfinished);
    total += ended;
  }
  await endWatches({ database });
  return total;
}

/** Fails actions whose wallet has sent only some of the transactions. */
async function endUnfinished(tx: Transaction): Promise<number> {
  const locked = await tx.$queryRaw<Pick<DueAction, 'id'>[]>`
    SELECT action.id FROM "Action" AS action WHERE ${IS_LEFT_UNFINISHED} LIMIT ${BATCH_SIZE} FOR UPDATE OF action SKIP LOCKED`;
  // Under the lock the steps are read again: a transaction may have been recorded meanwhile.
  const unfinished = await tx.$queryRaw<UnfinishedAction[]>`
    SELECT action.id, ARRAY(
             SELECT step.kind FROM "ActionStep" AS step
              WHERE step."actionId" = action.id AND step.status = 'CONFIRMED' AND ${IS_NO_FEE}) AS kinds,
           EXISTS (
             SELECT 1 FROM "ActionStep" AS step
              WHERE step."actionId" = action.id AND step.status = 'CONFIRMED' AND NOT ${IS_NO_FEE}) AS "isFeePaid",
           coalesce((
             SELECT step.status = 'CONFIRMED' FROM "ActionStep" AS step
              WHERE step."actionId" = action.id AND step.kind <> 'REFUND' AND ${IS_NO_FEE}
              ORDER BY step."stepIndex" DESC LIMIT 1), false) AS "isDone",
           EXISTS (
             SELECT 1 FROM "Delivery" AS delivery
               JOIN "ActionStep" AS arrival ON arrival."actionId" = delivery."actionId"
                AND arrival."stepIndex" = delivery."destinationStep" AND arrival.status = 'CONFIRMED'
              WHERE delivery."actionId" = action.id AND action.type = 'CROSSCHAIN_INVESTMENT_WITHDRAW') AS "isPaidOut"
      FROM "Action" AS action WHERE action.id = ANY(${locked.map(({ id }) => id)}::uuid[]) AND ${IS_LEFT_UNFINISHED}`;
  for (const action of unfinished) {
    const failureReason = ['Only some of the transactions were sent in time', ...effectsOf(action)].join('. ');
    await changeStatus(tx, action.id, { transition: 'failed', substatus: 'PARTIAL', failureReason });
  }
  return unfinished.length;
}

/** Condition on the row `step`: it moves the amount of the action, not a fee of it. */
const IS_NO_FEE = Prisma.sql`(step.protocol IS DISTINCT FROM ${FEE_PROTOCOL})`;

interface UnfinishedAction extends Pick<DueAction, 'id'> {
  /** Kinds of its confirmed steps, fees left out. */
  readonly kinds: readonly string[];
  /** True when a fee was paid. */
  readonly isFeePaid: boolean;
  /** True when its last step is confirmed, fees left out: then the amount has left the wallet, or was to stay there. */
  readonly isDone: boolean;
  /** True when the transfer of a withdrawal has arrived. */
  readonly isPaidOut: boolean;
}

/** Steps that move tokens into the wallet. */
const LEAVES_IN_WALLET: ReadonlySet<string> = new Set(['SWAP', 'WITHDRAW', 'BRIDGE']);

/** What the transactions that were sent have done. */
function effectsOf({ kinds, isFeePaid, isDone, isPaidOut }: UnfinishedAction): readonly string[] {
  if (isPaidOut) return ['The transfer to the other chain was made'];
  return [placeOfTokens(kinds, isDone), isFeePaid ? 'The fee was paid' : undefined].filter(
    (each) => each !== undefined,
  );
}

function placeOfTokens(kinds: readonly string[], isDone: boolean): string | undefined {
  if (kinds.includes('DEPOSIT')) return 'The deposit was made';
  if (kinds.includes('REQUEST')) return 'The request was made';
  if (isDone) return 'The recipient has the tokens';
  return kinds.some((kind) => LEAVES_IN_WALLET.has(kind)) ? 'The wallet has the tokens' : undefined;
}

/** Condition on the row `action`: its origin was not seen in time. */
const IS_DUE = Prisma.sql`
  action."expiresAt" < now()
  AND (action.status = 'INITIAL' OR (action.status = 'PENDING' AND action.substatus = 'WAITING_ORIGIN'))
  AND NOT EXISTS (
    SELECT 1 FROM "ChainTracker" AS tracker
     WHERE tracker."chainId" = action."chainIdIn"
       AND (tracker."caughtUpAt" IS NULL OR tracker."caughtUpAt" < action."expiresAt"))
  AND NOT EXISTS (
    SELECT 1 FROM "Delivery" AS polled
     WHERE polled."actionId" = action.id AND polled.deposit IS NOT NULL
       AND (polled."lastFailure" IS NOT NULL OR polled."updatedAt" < action."expiresAt"))
  AND NOT EXISTS (
    SELECT 1 FROM "ActionStep" AS step
     WHERE step."actionId" = action.id AND step.status IN ('SUBMITTED', 'CONFIRMED'))
  AND NOT EXISTS (
    SELECT 1 FROM "SmartAccountDeployment" AS deployment
     WHERE deployment."actionId" = action.id AND deployment.state = 'SENDING')
  AND (action."expiresAt" < now() - make_interval(days => ${MAX_QUARANTINE_DAYS}) OR NOT ${MAY_BE_IN_QUARANTINE})`;

/**
 * When the wallet must have sent the next transaction: it has as long after the last one that was mined as it had for the
 * first. Thus an action that went on late does not fail again at once.
 *
 * A step counts from when it was recorded, if that is later, where the wallet can only go on from then: a delivery, each step
 * before the deposit of delivered tokens, and between chains also a transaction that its chain has lost.
 */
const NEXT_IS_DUE_AT = Prisma.sql`
  greatest(action."expiresAt", (
    SELECT max(CASE WHEN step.status = 'PENDING' OR step.operator <> 'USER' OR action.type = 'CROSSCHAIN_INVESTMENT_DEPOSIT'
                    THEN greatest(step."minedAt", step."updatedAt") ELSE step."minedAt" END)
      FROM "ActionStep" AS step
     WHERE step."actionId" = action.id
       AND (step.status = 'CONFIRMED'
            OR (step.status = 'PENDING' AND step.operator = 'USER'
                AND action.type IN ('CROSSCHAIN_INVESTMENT_DEPOSIT', 'CROSSCHAIN_INVESTMENT_WITHDRAW'))))
    + (action."expiresAt" - action."createdAt"))`;

/**
 * Condition on the row `action`: the wallet has sent only some of its transactions, and the others have not come in time. The
 * next one is not due while another party has to carry out a step before it, nor any while a transfer is in transit.
 */
const IS_LEFT_UNFINISHED = Prisma.sql`
  action."expiresAt" < now() AND action.status = 'PENDING'
  AND (action."chainIdIn" = action."chainIdOut"
       OR action.type IN ('CROSSCHAIN_INVESTMENT_DEPOSIT', 'CROSSCHAIN_INVESTMENT_WITHDRAW'))
  AND ${NEXT_IS_DUE_AT} < now()
  AND EXISTS (
    SELECT 1 FROM "ActionStep" AS step
     WHERE step."actionId" = action.id AND step.status = 'PENDING' AND step.operator = 'USER'
       AND NOT EXISTS (
         SELECT 1 FROM "ActionStep" AS other
          WHERE other."actionId" = action.id AND other."stepIndex" < step."stepIndex" AND other.status = 'PENDING')
       AND NOT EXISTS (
         SELECT 1 FROM "ChainTracker" AS tracker
          WHERE tracker."chainId" = step."chainId"
            AND (tracker."caughtUpAt" IS NULL OR tracker."caughtUpAt" < ${NEXT_IS_DUE_AT})))
  AND NOT ${hasTransferInTransit(Prisma.sql`action.id`)}
  AND (action."chainIdIn" <> action."chainIdOut"
       OR NOT EXISTS (SELECT 1 FROM "Delivery" AS delivery WHERE delivery."actionId" = action.id))
  AND EXISTS (SELECT 1 FROM "ActionStep" AS step WHERE step."actionId" = action.id AND step.status = 'CONFIRMED')
  AND NOT EXISTS (SELECT 1 FROM "ActionStep" AS step WHERE step."actionId" = action.id AND step.status = 'SUBMITTED')
  AND (${NEXT_IS_DUE_AT} < now() - make_interval(days => ${MAX_QUARANTINE_DAYS}) OR NOT ${MAY_BE_IN_QUARANTINE})`;

interface DueAction {
  readonly id: string;
  readonly status: ActionStatus;
}

async function expireBatch(tx: Transaction, cancellableProviders: readonly string[]): Promise<number> {
  const due = await tx.$queryRaw<DueAction[]>`
    SELECT action.id, action.status FROM "Action" AS action
     WHERE ${IS_DUE}
       AND (action."expiresAt" < now() - make_interval(days => ${MAX_CANCELLATION_DAYS}) OR NOT EXISTS (
         SELECT 1 FROM "Delivery" AS delivery
          WHERE delivery."actionId" = action.id AND delivery.provider = ANY(${[...cancellableProviders]})))
     LIMIT ${BATCH_SIZE} FOR UPDATE OF action SKIP LOCKED`;
  for (const action of due) await expire(tx, action);
  return due.length;
}

async function scheduleCancellations(database: Database, cancellableProviders: readonly string[]): Promise<void> {
  if (cancellableProviders.length === 0) return;
  await database.$executeRaw`
    UPDATE "Delivery" AS delivery SET ${POLL_NOW}
      FROM "Action" AS action
     WHERE action.id = delivery."actionId" AND delivery.provider = ANY(${[...cancellableProviders]})
       AND delivery.phase = 'AWAITING_ORIGIN' AND ${IS_DUE}`;
}

/** Locks the action until the end of the transaction if it is due to expire. */
async function lockDueAction(tx: Pick<Transaction, '$queryRaw'>, actionId: string): Promise<DueAction | undefined> {
  const [due] = await tx.$queryRaw<DueAction[]>`
    SELECT action.id, action.status FROM "Action" AS action
     WHERE action.id = ${actionId}::uuid AND ${IS_DUE} FOR UPDATE OF action`;
  return due;
}

/** True when the origin of an action was not seen in time. */
export const isDueToExpire = async (database: Pick<Database, '$queryRaw'>, actionId: string): Promise<boolean> =>
  (await lockDueAction(database, actionId)) !== undefined;

/** Fails an action whose origin was not seen in time. False when it was seen meanwhile. */
export async function expireAction(tx: Transaction, actionId: string): Promise<boolean> {
  const due = await lockDueAction(tx, actionId);
  if (due !== undefined) await expire(tx, due);
  return due !== undefined;
}

async function expire(tx: Transaction, { id, status }: DueAction): Promise<void> {
  await changeStatus(tx, id, {
    transition: status === 'INITIAL' ? 'failedBeforeOrigin' : 'failed',
    substatus: 'EXPIRED',
    failureReason: 'No transaction that executes the action was found in time',
  });
  await tx.$executeRaw`
    UPDATE "Delivery" SET phase = 'ENDED' WHERE "actionId" = ${id}::uuid AND phase = 'AWAITING_ORIGIN'`;
  await watchPayout(tx, id);
}

/** Tokens that are sent to a ramp late have to be returned: the deliveries go on watching for them. */
async function watchPayout(tx: Transaction, actionId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE "Delivery" AS delivery SET ${POLL_NOW}
      FROM "Action" AS action
     WHERE delivery."actionId" = ${actionId}::uuid AND action.id = delivery."actionId"
       AND action."chainIdOut" = ${FIAT_CHAIN_ID}`;
}
