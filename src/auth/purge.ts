import type { Pool } from 'pg';

const STATEMENTS = [
  `DELETE FROM "IdempotentCall" WHERE "createdAt" < now() - interval '24 hours'`,
  `DELETE FROM "rate_limit" WHERE "expire" < extract(epoch FROM now() - interval '1 hour') * 1000`,
  // Ramps repeat undelivered callbacks for a day.
  `DELETE FROM "RampCallback" WHERE "receivedAt" < now() - interval '7 days'`,
  // After its expiry a quote does not need the payout's account; a ticket keeps its own copy.
  `UPDATE "Quote" SET payout = NULL WHERE payout IS NOT NULL AND deadline < now() - interval '1 hour'`,
  // Tickets whose request failed before its action was created. They were never returned to a customer.
  `DELETE FROM "RampTicket" AS ticket
    WHERE ticket."createdAt" BETWEEN now() - interval '8 days' AND now() - interval '1 day'
      AND NOT EXISTS (SELECT 1 FROM "Action" WHERE id = ticket."actionId")`,
];

/**
 * Deletes expired idempotent responses, request counts, callbacks and tickets, and personal data of expired quotes. Any
 * process may run it periodically. Returns the number of affected rows.
 */
export async function purgeExpired(deps: { readonly pool: Pick<Pool, 'query'> }): Promise<number> {
  let affected = 0;
  for (const statement of STATEMENTS) affected += (await deps.pool.query(statement)).rowCount ?? 0;
  return affected;
}
