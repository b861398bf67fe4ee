import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PROJECT_ROOT } from '../../src/config/project-root';
import { applyMigrations } from '../../src/persistence/apply-migrations';
import { createTestDatabase, type TestDatabase } from './test-database';

const MIGRATIONS = path.join(PROJECT_ROOT, 'prisma/migrations');

/** A database with the migrations before `migration`, given by the name of its folder. */
export async function createDatabaseBefore(migration: string): Promise<TestDatabase> {
  const test = await createTestDatabase('template1');
  const folder = mkdtempSync(path.join(tmpdir(), 'afluente-migrations-'));
  try {
    for (const name of readdirSync(MIGRATIONS).filter((each) => each < migration))
      cpSync(path.join(MIGRATIONS, name), path.join(folder, name), { recursive: true });
    await applyMigrations({ url: test.url, log: { info: () => undefined, warn: () => undefined }, folder });
  } finally {
    rmSync(folder, { recursive: true });
  }
  return test;
}
