import type { Database } from '../../persistence/database';
import type { PositionOwner } from './position-store';

/** How long a withdrawal waits for the history of its position: the time for which one is refused. */
export const MAX_WAIT_SECONDS = 600;
/** After this time without an end, a withdrawal waits once more. */
const WAIT_AGAIN_SECONDS = 86_400;
/** Noted positions of a customer, as of stored positions. */
const MAX_NOTED = 20_000;
/** Positions that are removed besides the one that is added: after the maximum became smaller. */
const MORE_NOTED = 20;

export interface OwnedPosition {
  readonly owner: PositionOwner;
  /** In lower case. */
  readonly strategyId: string;
}

interface Noted {
  readonly hasWaited: boolean;
  readonly isNew: boolean;
}

/**
 * Notes that a withdrawal has found the history of its position unread, or in contradiction to the chain. True when the first
 * one was refused so long ago that this one may not be refused any more.
 *
 * When the history was read meanwhile, the wait begins anew: one read that fails is no reason to waive a fee. This happens once in
 * a day, so that a node that is slow for withdrawals alone never keeps a wallet from its deposit.
 */
export async function noteUnread(
  database: Database,
  { owner: { customerId, wallet }, strategyId }: OwnedPosition,
  maximum = MAX_NOTED,
): Promise<boolean> {
  const rows = await database.$queryRaw<Noted[]>`
    INSERT INTO "UnreadPosition" AS unread ("customerId", wallet, "strategyId")
    VALUES (${customerId}::uuid, ${wallet}, ${strategyId})
        ON CONFLICT ("customerId", wallet, "strategyId") DO UPDATE
       SET since = CASE WHEN unread.since < now() - make_interval(secs => ${WAIT_AGAIN_SECONDS})
                          OR (unread."readAt" IS NOT NULL AND NOT unread."isRestarted") THEN now()
                        ELSE unread.since END,
           "isRestarted" = unread.since >= now() - make_interval(secs => ${WAIT_AGAIN_SECONDS})
                           AND (unread."isRestarted" OR unread."readAt" IS NOT NULL),
           "readAt" = NULL
    RETURNING since <= now() - make_interval(secs => ${MAX_WAIT_SECONDS}) AS "hasWaited", xmax = 0 AS "isNew"`;
  if (rows.some(({ isNew }) => isNew)) await removeOldest(database, customerId, maximum);
  return rows.some(({ hasWaited }) => hasWaited);
}

const removeOldest = (database: Database, customerId: string, maximum: number): Promise<number> =>
  database.$executeRaw`
    DELETE FROM "UnreadPosition" WHERE ("customerId", wallet, "strategyId") IN (
      SELECT "customerId", wallet, "strategyId" FROM "UnreadPosition" WHERE "customerId" = ${customerId}::uuid
       ORDER BY since DESC OFFSET ${maximum} LIMIT ${MORE_NOTED + 1})`;

/** Notes that the histories of positions were read to the end. */
export async function noteRead(
  database: Database,
  { customerId, wallet }: PositionOwner,
  strategyIds: readonly string[],
): Promise<void> {
  if (strategyIds.length === 0) return;
  const where = { customerId, wallet, strategyId: { in: [...strategyIds] }, readAt: null };
  await database.unreadPosition.updateMany({ where, data: { readAt: new Date() } });
}

/** Ends the wait: a withdrawal has read the history. */
export async function forgetUnread(
  database: Database,
  { owner: { customerId, wallet }, strategyId }: OwnedPosition,
): Promise<void> {
  await database.unreadPosition.deleteMany({ where: { customerId, wallet, strategyId } });
}
