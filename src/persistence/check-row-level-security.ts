import type { Pool } from 'pg';
import { z } from 'zod';
import { runForCaller } from './customer-scope';
import { APP_ROLE, SEES_ALL_ROWS, WORKER_ROLE } from './scoped-pool';
import type { OpenDatabase } from './database';

const stateSchema = z.object({ user: z.string(), isConfined: z.boolean(), isExempt: z.boolean() });

/** Whether policies apply to the user of a connection, and whether they show it all rows. */
const STATE = `
  SELECT current_user AS user, row_security_active('"Action"') AS "isConfined",
         ${SEES_ALL_ROWS} AS "isExempt"`;

/**
 * Tables whose policies for requests or for the service are missing, for example because they were restored before the roles existed.
 * Requests cannot read tables of the operator, such as a copy of a table before a repair.
 */
const UNPROTECTED = `
  SELECT place.relname AS name FROM pg_class AS place
   WHERE place.relnamespace = current_schema()::regnamespace AND place.relkind IN ('r', 'p')
     AND (place.relrowsecurity OR (
       (has_table_privilege(to_regrole('${APP_ROLE}')::oid, place.oid, 'DELETE')
         OR has_any_column_privilege(to_regrole('${APP_ROLE}')::oid, place.oid, 'SELECT, INSERT, UPDATE')) AND EXISTS (
         SELECT 1 FROM pg_attribute AS owner
          WHERE owner.attrelid = place.oid AND owner.attname = 'customerId' AND NOT owner.attisdropped)))
     AND (NOT place.relforcerowsecurity OR EXISTS (
       SELECT 1 FROM unnest(ARRAY['${APP_ROLE}', '${WORKER_ROLE}']) AS role
        WHERE NOT EXISTS (SELECT 1 FROM pg_policy WHERE polrelid = place.oid AND to_regrole(role)::oid = ANY (polroles))))
   ORDER BY 1`;

const namesSchema = z.array(z.object({ name: z.string() }));

const stateOf = async (pool: Pool) => stateSchema.parse((await pool.query(STATE)).rows[0]);

/**
 * Returns the reasons why the roles or policies would show a request the rows of other customers, or hide rows from the service's own
 * work. The first pools of the database are those of requests and of the service; a single one serves both.
 */
export async function rowLevelSecurityProblems({ pools }: Pick<OpenDatabase, 'pools'>): Promise<readonly string[]> {
  const [requests, services = requests] = pools;
  const problems: string[] = [];
  if (services !== undefined) {
    const { user, isExempt } = await stateOf(services);
    if (!isExempt) problems.push(`The user ${user} of DATABASE_URL sees no rows: GRANT ${WORKER_ROLE} TO "${user}".`);
    const names = namesSchema.parse((await services.query(UNPROTECTED)).rows).map(({ name }) => name);
    if (names.length > 0)
      problems.push(
        `Policies of row-level security are missing for ${names.join(', ')}: restore the backup again, after the roles ${APP_ROLE} and ${WORKER_ROLE} were created.`,
      );
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

/** Before PostgreSQL 16 a membership cannot be without inheritance. A superuser has all rights anyway. */
const INHERITS = `
  SELECT rolname AS user FROM pg_roles
   WHERE rolname = current_user AND NOT rolsuper AND pg_has_role(current_user, '${APP_ROLE}', 'USAGE')
     AND current_setting('server_version_num')::int >= 160000`;

const usersSchema = z.array(z.object({ user: z.string() }));

/** Returns the reasons why the user of the database could read the rows of another deployment on the same server. */
export async function rowLevelSecurityWarnings({ pools }: Pick<OpenDatabase, 'pools'>): Promise<readonly string[]> {
  const [requests, services = requests] = pools;
  const users = services === undefined ? [] : usersSchema.parse((await services.query(INHERITS)).rows);
  return users.map(
    ({ user }) =>
      `The user ${user} of DATABASE_URL has the rights of ${APP_ROLE} in every database of the server, so that it can read the ` +
      `rows of other deployments. Run as an administrator: GRANT ${APP_ROLE} TO "${user}" WITH INHERIT FALSE.`,
  );
}
