import { Prisma } from '../../persistence/client/client';
import type { Transaction } from '../../persistence/database';
import type { Substatus } from './substatus';
import { IS_WATCHED, isOfOneWallet, WATCH_END } from './late-transactions';
import { isFinished, TRANSITIONS, type TransitionName } from './status-transitions';

export interface StatusChange {
  readonly transition: TransitionName;
  readonly substatus?: Substatus | undefined;
  /** Why the action failed; shown to the customer. */
  readonly failureReason?: string | undefined;
  /** Facts for the event log: transaction hash, block, cause. */
  readonly detail?: Readonly<Record<string, string | number>> | undefined;
}

/**
 * Changes the status of an action by one legal transition and appends the event, in one statement. The calls of an action
 * that ends are closed; those of one that fails stay open for a week where a transaction may come late (`IS_WATCHED`). An
 * action that fails or is refunded skips the steps that had not started. When it goes on, they wait again, as do the other
 * steps of its wallet that had reverted. An action stays a draft only while nothing of it was seen.
 *
 * False when another replica was first, or the transition does not start in the status of the action.
 */
export async function changeStatus(tx: Transaction, actionId: string, change: StatusChange): Promise<boolean> {
  const { from, to } = TRANSITIONS[change.transition];
  const finished = isFinished(to);
  const isLate = change.transition === 'originSeenLate';
  const isWatched = Prisma.sql`${to === 'FAILED'} AND call.open AND ${IS_WATCHED}`;
  const events = await tx.$executeRaw`
    WITH held AS (
      SELECT id, status FROM "Action" WHERE id = ${actionId}::uuid FOR UPDATE
    ), moved AS (
      UPDATE "Action" AS action
         SET status = ${to}::"ActionStatus",
             substatus = ${change.substatus ?? null},
             "isDraft" = action."isDraft" AND ${change.transition === 'failedBeforeOrigin'},
             "failureReason" = CASE WHEN NOT ${isLate}
                                    THEN coalesce(${change.failureReason ?? null}, action."failureReason") END,
             "updatedAt" = now(),
             "initialDate" = CASE WHEN ${finished} THEN action."initialDate" ELSE now() END,
             "finishedAt" = CASE WHEN ${finished} THEN now() END
        FROM held
       WHERE action.id = held.id AND held.status = ANY(${[...from]}::"ActionStatus"[])
      RETURNING action.id, action."customerId", held.status AS "fromStatus"
    ), closed AS (
      UPDATE "ActionCall" AS call
         SET open = CASE WHEN ${isLate} THEN call.open OR call."watchedUntil" IS NOT NULL
                         ELSE ${isWatched} END,
             "watchedUntil" = CASE WHEN ${isWatched} THEN ${WATCH_END} END,
             "nextSearchAt" = CASE WHEN ${isWatched} AND call.form = 'REFERENCE' THEN now() END
       WHERE (${finished} OR ${isLate}) AND call."actionId" IN (SELECT id FROM moved)
    ), resumed AS (
      UPDATE "ActionStep" AS step
         SET status = 'PENDING', "failureReason" = NULL, "txHash" = NULL, "userOperationHash" = NULL, "callIndex" = NULL,
             reverted = false, "blockNumber" = NULL, "blockHash" = NULL, "minedAt" = NULL, "updatedAt" = now()
       WHERE ${isLate} AND step."actionId" IN (SELECT id FROM moved) AND step.status IN ('SKIPPED', 'FAILED')
         AND (step."txHash" IS NULL OR (${isOfOneWallet(Prisma.sql`step."actionId"`)}))
    ), skipped AS (
      UPDATE "ActionStep" SET status = 'SKIPPED', "updatedAt" = now()
       WHERE ${to === 'FAILED' || to === 'REFUNDED'} AND "actionId" IN (SELECT id FROM moved) AND status = 'PENDING'
    )
    INSERT INTO "ActionEvent" ("actionId", "customerId", "fromStatus", "toStatus", substatus, detail)
    SELECT id, "customerId", "fromStatus", ${to}::"ActionStatus", ${change.substatus ?? null}, ${detailOf(change)}
      FROM moved`;
  return events === 1;
}

export interface SubstatusChange {
  readonly substatus: Substatus;
  readonly detail?: StatusChange['detail'];
  /** Status in which the action must be; `PENDING` when not given. A failed or refunded one may still wait for its refund. */
  readonly status?: 'PENDING' | 'FAILED' | 'REFUNDED';
}

/**
 * Changes the substatus of an action and appends the event; the status stays.
 *
 * False when the action is not in the given status, or already has the substatus.
 */
export async function changeSubstatus(tx: Transaction, actionId: string, change: SubstatusChange): Promise<boolean> {
  const { substatus, status = 'PENDING' } = change;
  const events = await tx.$executeRaw`
    WITH changed AS (
      UPDATE "Action" SET substatus = ${substatus}, "updatedAt" = now()
       WHERE id = ${actionId}::uuid AND status = ${status}::"ActionStatus" AND substatus IS DISTINCT FROM ${substatus}
      RETURNING id, "customerId", status
    )
    INSERT INTO "ActionEvent" ("actionId", "customerId", "fromStatus", "toStatus", substatus, detail)
    SELECT id, "customerId", status, status, ${substatus}, ${detailOf(change)} FROM changed`;
  return events === 1;
}

/** Appends an event without a change of status or substatus. */
export async function addEvent(tx: Transaction, actionId: string, detail: StatusChange['detail']): Promise<void> {
  await tx.$executeRaw`
    WITH changed AS (
      UPDATE "Action" SET "updatedAt" = now() WHERE id = ${actionId}::uuid RETURNING id, "customerId", status, substatus
    )
    INSERT INTO "ActionEvent" ("actionId", "customerId", "fromStatus", "toStatus", substatus, detail)
    SELECT id, "customerId", status, status, substatus, ${detailOf({ detail })} FROM changed`;
}

const detailOf = ({ detail }: Pick<StatusChange, 'detail'>): Prisma.Sql =>
  detail === undefined ? Prisma.sql`NULL::jsonb` : Prisma.sql`${JSON.stringify(detail)}::jsonb`;
