import { randomUUID } from 'node:crypto';
import { Client, type Pool } from 'pg';
import { type Database, type OpenDatabase, openDatabase, openScopedDatabase } from '../../src/persistence/database';

/** Many times those of the service: what a test expects of concurrent calls must not depend on the machine's speed. */
export const TIMEOUTS = { statement: 50_000, lock: 40_000, query: 60_000 };

export interface TestDatabase {
  readonly url: string;
  readonly database: Database;
  /** The connections of `database`, for statements of one's own. */
  readonly pool: Pool;
  /** Closes the connections and drops the database. */
  drop(): Promise<void>;
}

/**
 * A database of the caller's own with every migration applied, in a few ten milliseconds. `beforeAll` makes one per
 * test file, `afterAll` drops it.
 */
export async function createTestDatabase(template: 'migrated' | 'template1' = 'migrated'): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  // Copying files is many times faster than writing each page to the log as well.
  await administer(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  const opened = openDatabase({ url: url.href, poolSize: 20, log: { warn: () => undefined }, timeouts: TIMEOUTS });
  return {
    url: url.href,
    database: opened.database,
    pool: opened.pool,
    async drop() {
      await opened.close();
      await administer(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** A test database that is also opened as the service opens it: `scoped` sees the rows of the present scope alone. */
export interface ScopedTestDatabase extends TestDatabase {
  readonly scoped: OpenDatabase;
}

export async function createScopedTestDatabase(): Promise<ScopedTestDatabase> {
  const test = await createTestDatabase();
  const log = { warn: () => undefined };
  const scoped = openScopedDatabase({ url: test.url, poolSize: 2, servicePoolSize: 1, log, timeouts: TIMEOUTS });
  return {
    ...test,
    scoped,
    async drop() {
      await scoped.close();
      await test.drop();
    },
  };
}

/** Deletes all rows. Faster than another database, for a test file whose tests must not share rows. */
export async function emptyDatabase({ pool }: Pick<TestDatabase, 'pool'>): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE '\\_%'`,
  );
  await pool.query(`TRUNCATE ${rows.map(({ name }) => name).join(', ')}`);
}

/** URL of the database server of the tests. */
export function serverUrl(): string {
  const url = process.env['AFLUENTE_TEST_DATABASE'];
  if (url === undefined) throw new Error('no database runs: name the test file *.db.test.ts');
  return url;
}

async function administer(statement: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl() });
  await client.connect();
  await client.query(statement);
  await client.end();
}
