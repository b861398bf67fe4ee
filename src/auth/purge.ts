import type { Pool } from 'pg';

const STATEMENTS = [
  `DELETE FROM "IdempotentCall" WHERE "createdAt" < now() - interval '24 hours'`,
  `DELETE FROM "rate_limit" WHERE "expire" < extract(epoch FROM now() - interval '1 hour') * 1000`,
  // Ramps repeat what nobody took for a day.
  `DELETE FROM "RampCallback" WHERE "receivedAt" < now() - interval '7 days'`,
];

/** Deletes kept answers, request counts and callbacks that mean nothing any more. To be run now and then, by any process. */
export async function purgeExpired(deps: { readonly pool: Pick<Pool, 'query'> }): Promise<number> {
  let deleted = 0;
  for (const statement of STATEMENTS) deleted += (await deps.pool.query(statement)).rowCount ?? 0;
  return deleted;
}
