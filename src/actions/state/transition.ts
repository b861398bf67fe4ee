import { Prisma } from '../../persistence/client/client';
import type { Transaction } from '../../persistence/database';
import type { Substatus } from './substatus';
import { isFinished, TRANSITIONS, type TransitionName } from './action-transitions';

export interface Move {
  readonly edge: TransitionName;
  readonly substatus?: Substatus | undefined;
  /** Why the action failed; shown to the customer. */
  readonly failureReason?: string | undefined;
  /** Facts for the event log: transaction hash, block, cause. */
  readonly detail?: Readonly<Record<string, string | number>> | undefined;
}

/**
 * Moves an action along one legal edge and appends the event, in one statement. The calls of an action that ends are
 * closed; an action that fails or is refunded skips the steps that had not started.
 *
 * False when another replica was first, or the action is not in a status where the edge starts.
 */
export async function transition(tx: Transaction, actionId: string, move: Move): Promise<boolean> {
  const { from, to } = TRANSITIONS[move.edge];
  const finished = isFinished(to);
  const events = await tx.$executeRaw`
    WITH held AS (
      SELECT id, status FROM "Action" WHERE id = ${actionId}::uuid FOR UPDATE
    ), moved AS (
      UPDATE "Action" AS action
         SET status = ${to}::"ActionStatus",
             substatus = ${move.substatus ?? null},
             "failureReason" = coalesce(${move.failureReason ?? null}, action."failureReason"),
             "updatedAt" = now(),
             "initialDate" = CASE WHEN ${finished} THEN action."initialDate" ELSE now() END,
             "finishedAt" = CASE WHEN ${finished} THEN now() END
        FROM held
       WHERE action.id = held.id AND held.status = ANY(${[...from]}::"ActionStatus"[])
      RETURNING action.id, action."customerId", held.status AS "fromStatus"
    ), closed AS (
      UPDATE "ActionCall" SET open = false WHERE ${finished} AND "actionId" IN (SELECT id FROM moved)
    ), skipped AS (
      UPDATE "ActionStep" SET status = 'SKIPPED', "updatedAt" = now()
       WHERE ${to === 'FAILED' || to === 'REFUNDED'} AND "actionId" IN (SELECT id FROM moved) AND status = 'PENDING'
    )
    INSERT INTO "ActionEvent" ("actionId", "customerId", "fromStatus", "toStatus", substatus, detail)
    SELECT id, "customerId", "fromStatus", ${to}::"ActionStatus", ${move.substatus ?? null}, ${detailOf(move)}
      FROM moved`;
  return events === 1;
}

export interface SubstatusChange {
  readonly substatus: Substatus;
  readonly detail?: Move['detail'];
  /** Status in which the action must be; `PENDING` when not given. A failed one may still wait for its refund. */
  readonly status?: 'PENDING' | 'FAILED';
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

const detailOf = ({ detail }: Pick<Move, 'detail'>): Prisma.Sql =>
  detail === undefined ? Prisma.sql`NULL::jsonb` : Prisma.sql`${JSON.stringify(detail)}::jsonb`;
