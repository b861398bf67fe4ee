import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../config/project-root';

const FOLDER = path.join(PROJECT_ROOT, 'prisma/migrations');
const OF_LEDGER = /_(?:operations_of_movements|coin_of_movements|place_of_coin|earlier_movements)$/;

const namesIn = (sql: string, pattern: RegExp): readonly string[] =>
  [...sql.matchAll(pattern)].flatMap(([, name]) => name ?? []);

/** Tables that a migration changes while the service uses them. */
function lockedTables(sql: string): ReadonlySet<string> {
  const created = new Set(namesIn(sql, /CREATE TABLE "(\w+)"/g));
  const changed = [...namesIn(sql, /ALTER TABLE "(\w+)"/g), ...namesIn(sql, /CREATE [^;]*?INDEX [^;]*? ON "(\w+)"/g)];
  return new Set(changed.filter((table) => !created.has(table)));
}

it('a migration of the ledger locks one table in use, and waits a short time for it: two could deadlock with requests', () => {
  const names = readdirSync(FOLDER).filter((name) => OF_LEDGER.test(name));
  const locking = names
    .map((name) => readFileSync(path.join(FOLDER, name, 'migration.sql'), 'utf8'))
    .map((sql) => ({ sql, tables: [...lockedTables(sql)] }))
    .filter(({ tables }) => tables.length > 0);
  expect(locking.map(({ tables }) => tables)).toEqual(expect.arrayContaining([['LedgerEntry'], ['WalletCoverage']]));
  expect(locking.filter(({ tables }) => tables.length > 1).map(({ tables }) => tables)).toEqual([]);
  for (const { sql } of locking) expect(sql).toContain("SET LOCAL lock_timeout = '10s'");
});
