import type { Database } from '../../persistence/database';
import type { PositionOwner } from '../positions/position-store';

/** How long a withdrawal waits for the history of its position: the time for which one is refused. */
export const MAX_WAIT_SECONDS = 600;
/** After this time without an end, a withdrawal waits once more. */
const WAIT_AGAIN_SECONDS = 86_400;

interface OwnedPosition {
  readonly owner: PositionOwner;
  /** In lower case. */
  readonly strategyId: string;
}

/**
 * Notes that a withdrawal has found the history of its position unread. True when the first one was refused so long ago that this
 * one may not be refused any more.
 */
export async function noteUnread(
  database: Database,
  { owner: { customerId, wallet }, strategyId }: OwnedPosition,
): Promise<boolean> {
  const rows = await database.$queryRaw<{ readonly hasWaited: boolean }[]>`
    INSERT INTO "UnreadPosition" AS unread ("customerId", wallet, "strategyId")
    VALUES (${customerId}::uuid, ${wallet}, ${strategyId})
        ON CONFLICT ("customerId", wallet, "strategyId") DO UPDATE
       SET since = CASE WHEN unread.since < now() - make_interval(secs => ${WAIT_AGAIN_SECONDS}) THEN now() ELSE unread.since END
    RETURNING since <= now() - make_interval(secs => ${MAX_WAIT_SECONDS}) AS "hasWaited"`;
  return rows.some(({ hasWaited }) => hasWaited);
}

/** Notes that the history was read. */
export async function forgetUnread(
  database: Database,
  { owner: { customerId, wallet }, strategyId }: OwnedPosition,
): Promise<void> {
  await database.unreadPosition.deleteMany({ where: { customerId, wallet, strategyId } });
}
