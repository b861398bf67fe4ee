import { Client } from 'pg';
import startDatabase from '../test/setup/database';
import stopDatabase from '../test/setup/database-teardown';
import { serverUrl } from '../test/setup/test-database';

/** Runs a benchmark beside a database server of its own. */
export async function benchWithDatabase(bench: () => Promise<void>): Promise<void> {
  await startDatabase();
  try {
    await waitForDisk();
    await bench();
  } finally {
    await stopDatabase();
  }
}

/** The server of the tests does not wait for its disk; that of a deployment does. */
async function waitForDisk(): Promise<void> {
  const client = new Client({ connectionString: serverUrl() });
  await client.connect();
  await client.query('ALTER SYSTEM RESET fsync');
  await client.query('SELECT pg_reload_conf()');
  await client.end();
}
