import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../config/project-root';

const FOLDER = path.join(PROJECT_ROOT, 'prisma/migrations');
/** Released migrations before it are never edited. */
const FIRST = '20261123230000';
const migrations = readdirSync(FOLDER)
  .filter((name) => name >= FIRST && !name.endsWith('.toml'))
  .map((name) => ({ name, sql: readFileSync(path.join(FOLDER, name, 'migration.sql'), 'utf8') }))
  .filter(({ sql }) => changesTableInUse(sql));

it('a migration that changes a table in use waits for it for a limited time: requests wait behind it', () => {
  expect(migrations.length).toBeGreaterThan(5);
  const unlimited = migrations.filter(({ sql }) => !sql.includes("SET LOCAL lock_timeout = '10s';"));
  expect(unlimited.map(({ name }) => name)).toEqual([]);
});

it('the documentation of operations lists each migration that changes a table in use', () => {
  const operations = readFileSync(path.join(PROJECT_ROOT, 'docs/operations.md'), 'utf8');
  expect(migrations.filter(({ name }) => !operations.includes(`\`${name}\``))).toEqual([]);
});

function changesTableInUse(sql: string): boolean {
  const changed = sql.matchAll(/^(?:ALTER TABLE|CREATE (?:UNIQUE )?INDEX .* ON) "(\w+)"/gm);
  return [...changed].some(([, table]) => !sql.includes(`CREATE TABLE "${table}"`));
}
