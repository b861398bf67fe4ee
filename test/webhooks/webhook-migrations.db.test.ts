import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../src/config/project-root';
import { createDatabaseBefore } from '../setup/database-before-migration';

const FOLDER = path.join(PROJECT_ROOT, 'prisma/migrations');
const migrations = readdirSync(FOLDER).filter((name) => name.includes('_webhook_'));

test('a migration of webhooks locks at most one table that is in use, and waits for it for a limited time', async () => {
  expect(migrations.length).toBeGreaterThan(1);
  const { pool, drop } = await createDatabaseBefore(migrations[0]!);
  const client = await pool.connect();
  try {
    const { rows: before } = await client.query<{ oid: number }>(
      `SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
    );
    for (const name of migrations) {
      await client.query('BEGIN');
      await client.query(readFileSync(path.join(FOLDER, name, 'migration.sql'), 'utf8'));
      const { rows: locked } = await client.query<{ table: string }>(
        `SELECT DISTINCT relation::regclass::text AS table FROM pg_locks
          WHERE pid = pg_backend_pid() AND relation = ANY($1::oid[])
            AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`,
        [before.map(({ oid }) => oid)],
      );
      const { rows: timeouts } = await client.query<{ lock_timeout: string }>('SHOW lock_timeout');
      expect([name, locked.length <= 1]).toEqual([name, true]);
      if (locked.length === 1) expect([name, timeouts[0]!.lock_timeout]).toEqual([name, '10s']);
      await client.query('COMMIT');
    }
  } finally {
    client.release();
    await drop();
  }
});
