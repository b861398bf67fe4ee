import type { Pool } from 'pg';
import { z } from 'zod';
import { runForCaller } from './customer-scope';
import { APP_ROLE, WORKER_ROLE } from './scoped-pool';
import type { OpenDatabase } from './database';

const stateSchema = z.object({ user: z.string(), isConfined: z.boolean(), isExempt: z.boolean() });

/** Whether policies apply to the user of a connection, and whether they show it all rows. */
const STATE = `
  SELECT current_user AS user, row_security_active('"Action"') AS "isConfined",
         pg_has_role(current_user, '${WORKER_ROLE}', 'USAGE') OR NOT row_security_active('"Action"') AS "isExempt"`;

const stateOf = async (pool: Pool) => stateSchema.parse((await pool.query(STATE)).rows[0]);

/**
 * Sentences about roles with which row-level security would show requests too much, or the service's own work too little. The
 * pools of the database are those of requests and of the service; a single one serves both.
 */
export async function rowLevelSecurityProblems({ pools }: Pick<OpenDatabase, 'pools'>): Promise<readonly string[]> {
  const [requests, services = requests] = pools;
  const problems: string[] = [];
  if (services !== undefined) {
    const { user, isExempt } = await stateOf(services);
    if (!isExempt) problems.push(`The user ${user} of DATABASE_URL sees no rows: GRANT ${WORKER_ROLE} TO "${user}".`);
  }
  if (requests !== undefined && requests !== services) {
    const { isConfined, isExempt } = await runForCaller(undefined, () => stateOf(requests));
    if (!isConfined || isExempt)
      problems.push(
        `The role ${APP_ROLE} sees the rows of all customers: it must be NOSUPERUSER NOBYPASSRLS and no member of ${WORKER_ROLE}.`,
      );
  }
  return problems;
}
