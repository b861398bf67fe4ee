import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { applyMigrations } from './apply-migrations';

const log = { info: () => undefined, warn: () => undefined };

let empty: TestDatabase;
let folder: string;

beforeEach(async () => {
  empty = await createTestDatabase('template1');
  folder = mkdtempSync(path.join(tmpdir(), 'afluente-migrations-'));
});

afterEach(async () => {
  await empty.drop();
  rmSync(folder, { recursive: true });
});

function write(name: string, sql: string): void {
  mkdirSync(path.join(folder, name), { recursive: true });
  writeFileSync(path.join(folder, name, 'migration.sql'), sql);
}

const apply = () => applyMigrations({ url: empty.url, log, folder });
const records = () =>
  empty.database.$queryRaw<{ migration_name: string; finished: boolean; open: boolean; logs: string | null }[]>`
    SELECT migration_name, finished_at IS NOT NULL AS finished, rolled_back_at IS NULL AS open, logs
    FROM _prisma_migrations ORDER BY started_at`;

describe('applyMigrations', () => {
  it('migrates an empty database to the schema of the generated client', async () => {
    await applyMigrations({ url: empty.url, log });
    await expect(empty.database.customer.findMany()).resolves.toEqual([]);
    await expect(empty.database.rateLimit.findMany()).resolves.toEqual([]);
  });

  it('applies only missing migrations, in the order of their names', async () => {
    write('2_filled', 'INSERT INTO item VALUES (1)');
    write('1_table', 'CREATE TABLE item (id INT)');
    expect(await apply()).toEqual(['1_table', '2_filled']);
    write('3_more', 'INSERT INTO item VALUES (2)');
    expect(await apply()).toEqual(['3_more']);
    expect(await apply()).toEqual([]);
  });

  it('applies each migration once under four concurrent starts', async () => {
    write('1_table', 'CREATE TABLE item (id INT)');
    write('2_filled', 'INSERT INTO item VALUES (1); SELECT pg_sleep(0.1)');
    const applied = await Promise.all([apply(), apply(), apply(), apply()]);
    expect(applied.filter((names) => names.length > 0)).toEqual([['1_table', '2_filled']]);
    await expect(empty.database.$queryRaw`SELECT id FROM item`).resolves.toEqual([{ id: 1 }]);
  });

  it('reports in words that the user of DATABASE_URL may not create tables', async () => {
    const role = `reader_${randomUUID().replaceAll('-', '')}`;
    await empty.pool.query(`CREATE ROLE ${role}`);
    try {
      const url = new URL(empty.url);
      url.searchParams.set('options', `-c role=${role}`);
      const refusal = applyMigrations({ url: url.href, log, folder });
      await expect(refusal).rejects.toThrow(/^The database cannot be migrated: permission denied .* DATABASE_URL/);
    } finally {
      await empty.pool.query(`DROP ROLE ${role}`);
    }
  });

  it('leaves a database that is not empty as it is, when only an empty one may be migrated', async () => {
    const prepare = () => applyMigrations({ url: empty.url, log, folder, onlyWhenEmpty: true });
    write('1_table', 'CREATE TABLE item (id INT)');
    expect(await prepare()).toEqual(['1_table']);
    write('2_filled', 'INSERT INTO item VALUES (1)');
    expect(await prepare()).toEqual([]);
    expect(await apply()).toEqual(['2_filled']);
  });

  it('takes no lock when only an empty database may be migrated and nothing is missing', async () => {
    const prepare = () => applyMigrations({ url: empty.url, log, folder, onlyWhenEmpty: true });
    write('1_table', 'CREATE TABLE item (id INT)');
    await prepare();
    const migrating = new Client({ connectionString: empty.url });
    await migrating.connect();
    try {
      await migrating.query('SELECT pg_advisory_lock(72707369)');
      expect(await prepare()).toEqual([]);
    } finally {
      await migrating.end();
    }
  });

  it('rolls back a failed migration, records the failure, and retries at the next start', async () => {
    write('1_broken', 'CREATE TABLE item (id INT); INSERT INTO absent VALUES (1)');
    await expect(apply()).rejects.toThrow('Migration 1_broken failed and was rolled back: relation "absent"');
    await expect(apply()).rejects.toThrow('Migration 1_broken failed');
    await expect(empty.database.$queryRaw`SELECT to_regclass('item')::text AS item`).resolves.toEqual([{ item: null }]);
    expect(await records()).toEqual([
      { migration_name: '1_broken', finished: false, open: true, logs: expect.stringContaining('absent') as string },
    ]);
    write('1_broken', 'CREATE TABLE item (id INT)');
    expect(await apply()).toEqual(['1_broken']);
    expect(await records()).toMatchObject([
      { finished: false, open: false },
      { finished: true, open: true },
    ]);
  });

  it('rejects a migration that was modified after it was applied', async () => {
    write('1_table', 'CREATE TABLE item (id INT)');
    await apply();
    write('1_table', 'CREATE TABLE item (id BIGINT)');
    await expect(apply()).rejects.toThrow('Migration 1_table was changed after it had been applied');
  });

  it('does not touch an unfinished migration of another tool', async () => {
    write('1_table', 'CREATE TABLE item (id INT)');
    await apply();
    await empty.database.$executeRaw`UPDATE _prisma_migrations SET finished_at = NULL`;
    await expect(apply()).rejects.toThrow('Migration 1_table was left unfinished');
  });

  it('accepts a database that a newer version has migrated further', async () => {
    write('1_table', 'CREATE TABLE item (id INT)');
    write('2_newer', 'ALTER TABLE item ADD COLUMN name TEXT');
    await apply();
    rmSync(path.join(folder, '2_newer'), { recursive: true });
    expect(await apply()).toEqual([]);
  });
});
