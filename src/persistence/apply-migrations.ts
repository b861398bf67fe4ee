import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';
import { PROJECT_ROOT } from '../config/project-root';
import { MigrationError } from './migration-error';
import { refuseOldServer } from './server-version';

/** The advisory lock of `prisma migrate`. */
const LOCK = 72_707_369;
const ROLLED_BACK = 'Rolled back: ';

export interface MigrationOptions {
  readonly url: string;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Folders with a `migration.sql`, applied in the order of their names. */
  readonly folder?: string;
  /**
   * True to leave a database as it is that any version has migrated. A migration in progress is awaited; while none is missing,
   * the lock is not taken.
   */
  readonly onlyWhenEmpty?: boolean;
}

interface Migration {
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file, in hexadecimal. */
  readonly checksum: string;
}

const recordsSchema = z.array(
  z.object({
    migration_name: z.string(),
    checksum: z.string(),
    logs: z.string().nullable(),
    finished_at: z.date().nullable(),
  }),
);
type MigrationRecord = z.infer<typeof recordsSchema>[number];

/**
 * Applies the missing migrations, each in its own transaction, and returns their names. Safe to call from several processes
 * at once. Updates Prisma's table of migrations, so that `prisma migrate status` and `deploy` agree.
 *
 * @throws MigrationError when the server is too old, or a migration fails or was modified after it was applied
 */
export async function applyMigrations({ url, log, ...options }: MigrationOptions): Promise<readonly string[]> {
  const migrations = readMigrations(options.folder ?? path.join(PROJECT_ROOT, 'prisma/migrations'));
  const client = new Client({ connectionString: url, application_name: 'afluente migrations' });
  client.on('error', (error) => log.warn({ reason: error.message }, 'the migrations lost the database connection'));
  await client.connect();
  try {
    await refuseOldServer(client);
    if (options.onlyWhenEmpty === true && (await hasFinished(client, migrations))) return [];
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    const records = await readRecords(client).catch(unprepared);
    const isKept = options.onlyWhenEmpty === true && records.length > 0;
    const missing = isKept ? [] : missingMigrations(migrations, records);
    for (const migration of missing) {
      await apply(client, migration);
      log.info({ migration: migration.name }, 'applied a migration');
    }
    return missing.map(({ name }) => name);
  } finally {
    await client.end(); // gives the lock back
  }
}

/** The usual cause is a user without rights, such as in a schema `public` that belongs to another one. */
function unprepared(cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const advice = 'Give the user of DATABASE_URL the right to create tables in this database';
  throw new MigrationError(`The database cannot be migrated: ${reason}. ${advice}.`, { cause });
}

function readMigrations(folder: string): readonly Migration[] {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names
    .map(({ name }) => {
      const sql = readFileSync(path.join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    })
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

async function hasRecords(client: Client): Promise<boolean> {
  const { rows } = await client.query(`SELECT 1 WHERE to_regclass('_prisma_migrations') IS NOT NULL`);
  return rows.length > 0;
}

/** True when all migrations were applied, whether or not their files have changed since. */
async function hasFinished(client: Client, migrations: readonly Migration[]): Promise<boolean> {
  if (!(await hasRecords(client))) return false;
  const { rows } = await client.query<Pick<MigrationRecord, 'migration_name'>>(
    'SELECT migration_name FROM _prisma_migrations WHERE rolled_back_at IS NULL AND finished_at IS NOT NULL',
  );
  const finished = new Set(rows.map((row) => row.migration_name));
  return migrations.every(({ name }) => finished.has(name));
}

async function readRecords(client: Client): Promise<readonly MigrationRecord[]> {
  // The definition of Prisma. IF NOT EXISTS alone would log a notice at every start.
  if (!(await hasRecords(client))) {
    await client.query(`
      CREATE TABLE _prisma_migrations (
        id                  VARCHAR(36) PRIMARY KEY NOT NULL,
        checksum            VARCHAR(64) NOT NULL,
        finished_at         TIMESTAMPTZ,
        migration_name      VARCHAR(255) NOT NULL,
        logs                TEXT,
        rolled_back_at      TIMESTAMPTZ,
        started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
        applied_steps_count INTEGER NOT NULL DEFAULT 0
      )`);
  }
  const { rows } = await client.query(
    'SELECT migration_name, checksum, logs, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  );
  return recordsSchema.parse(rows);
}

/** Unknown migrations in the database are ignored: they belong to a newer version, and a release may be rolled back. */
function missingMigrations(migrations: readonly Migration[], records: readonly MigrationRecord[]): Migration[] {
  return migrations.filter(({ name, checksum }) => {
    const record = records.find((candidate) => candidate.migration_name === name);
    if (record === undefined || isRolledBack(record)) return true;
    if (record.finished_at === null) {
      throw new MigrationError(`Migration ${name} was left unfinished: repair it, then run "prisma migrate resolve"`);
    }
    if (record.checksum !== checksum) {
      throw new MigrationError(`Migration ${name} was changed after it had been applied: add a new one instead`);
    }
    return false;
  });
}

/** A rolled-back failure, which may be retried. */
const isRolledBack = ({ finished_at, logs }: MigrationRecord): boolean =>
  finished_at === null && logs?.startsWith(ROLLED_BACK) === true;

async function apply(client: Client, { name, sql, checksum }: Migration): Promise<void> {
  const startedAt = new Date();
  await client.query('BEGIN');
  try {
    await client.query(
      `UPDATE _prisma_migrations SET rolled_back_at = now()
       WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL`,
      [name],
    );
    await client.query(sql);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, $4, now(), 1)`,
      [randomUUID(), checksum, name, startedAt],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    const reason = error instanceof Error ? error.message : String(error);
    await recordFailure(client, { name, checksum, startedAt, logs: `${ROLLED_BACK}${reason}` });
    throw new MigrationError(`Migration ${name} failed and was rolled back: ${reason}`, { cause: error });
  }
}

interface Failure {
  readonly name: string;
  readonly checksum: string;
  readonly startedAt: Date;
  readonly logs: string;
}

/** Stores one open failure per migration, for `prisma migrate status`. */
async function recordFailure(client: Client, { name, checksum, startedAt, logs }: Failure): Promise<void> {
  await client.query(
    'DELETE FROM _prisma_migrations WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL',
    [name],
  );
  await client.query(
    'INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, logs) VALUES ($1, $2, $3, $4, $5)',
    [randomUUID(), checksum, name, startedAt, logs],
  );
}
