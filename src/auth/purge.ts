import type { Pool } from 'pg';

const STATEMENTS = [
  `DELETE FROM "IdempotentCall" WHERE "createdAt" < now() - interval '24 hours'`,
  `DELETE FROM "rate_limit" WHERE "expire" < extract(epoch FROM now() - interval '1 hour') * 1000`,
  // Ramps repeat what nobody took for a day.
  `DELETE FROM "RampCallback" WHERE "receivedAt" < now() - interval '7 days'`,
  // Once nobody can execute a quote any more, where it pays to is known to its ticket alone, if it has one.
  `UPDATE "Quote" SET payout = NULL WHERE payout IS NOT NULL AND deadline < now() - interval '1 hour'`,
  // Tickets whose request failed before there was an action: nobody was told of them, and nobody will be.
  `DELETE FROM "RampTicket" AS ticket
    WHERE ticket."createdAt" BETWEEN now() - interval '8 days' AND now() - interval '1 day'
      AND NOT EXISTS (SELECT 1 FROM "Action" WHERE id = ticket."actionId")`,
];

/**
 * Deletes kept answers, request counts, callbacks and personal data of quotes that mean nothing any more. To be run now and
 * then, by any process. Returns how many rows were concerned.
 */
export async function purgeExpired(deps: { readonly pool: Pick<Pool, 'query'> }): Promise<number> {
  let deleted = 0;
  for (const statement of STATEMENTS) deleted += (await deps.pool.query(statement)).rowCount ?? 0;
  return deleted;
}
