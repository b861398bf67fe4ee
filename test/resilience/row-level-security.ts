import type { Client } from 'pg';

const TABLES = ['Action', 'ActionParty', 'ActionCount', 'ActionCountChange', 'ActionStep', 'ActionCall', 'ActionEvent'];

/** Runs work with a connection that sees the rows of one customer only, by policies on the tables of actions. */
export async function withRowLevelSecurity(
  client: Client,
  customerId: string,
  work: () => Promise<void>,
): Promise<void> {
  for (const table of TABLES) {
    await client.query(`
      ALTER TABLE "${table}" ENABLE ROW LEVEL SECURITY;
      CREATE POLICY own ON "${table}" USING ("customerId" = (SELECT current_setting('app.customer')::uuid))`);
  }
  try {
    // The owner of the tables is exempt from their policies.
    await client.query(`SET ROLE pg_read_all_data; SET app.customer = '${customerId}'`);
    await work();
  } finally {
    await client.query('RESET ROLE');
    for (const table of TABLES) {
      await client.query(`DROP POLICY own ON "${table}"; ALTER TABLE "${table}" DISABLE ROW LEVEL SECURITY`);
    }
  }
}
