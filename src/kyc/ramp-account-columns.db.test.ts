import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { PROJECT_ROOT } from '../config/project-root';
import { applyMigrations } from '../persistence/apply-migrations';

const MIGRATIONS = path.join(PROJECT_ROOT, 'prisma/migrations');
const SPLIT = '20261122015500_ramp_account_poll';
const log = { info: () => undefined, warn: () => undefined };

let test: TestDatabase;
let before: string;
beforeAll(async () => {
  test = await createTestDatabase('template1');
  before = mkdtempSync(path.join(tmpdir(), 'afluente-migrations-'));
  for (const name of readdirSync(MIGRATIONS)) {
    if (name < SPLIT) cpSync(path.join(MIGRATIONS, name), path.join(before, name), { recursive: true });
  }
});
afterAll(async () => {
  rmSync(before, { recursive: true });
  await test.drop();
});

const COLUMNS = ['openingStartedAt', 'openingLeasedUntil', 'submissionLeasedUntil', 'polledAt', 'staleSince'] as const;

it('converts each meaning of checkedAt to a column of its own', async () => {
  const { pool, url } = test;
  await applyMigrations({ url, log, folder: before });
  const [customerId, profileId] = [randomUUID(), randomUUID()];
  await pool.query(
    `INSERT INTO "KycProfile" (id, "customerId", "taxIdIndex", person) VALUES ($1, $2, '\\x01', '\\x01')`,
    [profileId, customerId],
  );
  const insert = (provider: string, accountId: string | null, checkedAt: string) =>
    pool.query(
      `INSERT INTO "RampAccount" ("profileId", provider, "customerId", "accountId", "checkedAt", "createdAt")
       VALUES ($1, $2, $3, $4, ${checkedAt}, '2026-01-01T00:00:00Z')`,
      [profileId, provider, customerId, accountId],
    );
  await insert('never opened', null, 'NULL');
  await insert('being opened', null, `'2026-02-01T00:00:00Z'`);
  await insert('opening failed', null, `'1970-01-01T00:00:00Z'`);
  await insert('polled', 'a', `'2026-02-01T00:00:00Z'`);
  await insert('stale', 'b', 'NULL');
  await insert('submitting', 'c', `'2126-02-01T00:00:00Z'`);

  await applyMigrations({ url, log });
  const rows = await test.database.rampAccount.findMany({ where: { profileId } });
  const [created, checked] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-02-01T00:00:00Z')];
  const columnsOf = (provider: string) => {
    const row = rows.find((each) => each.provider === provider)!;
    return Object.fromEntries(COLUMNS.flatMap((name) => (row[name] === null ? [] : [[name, row[name]]])));
  };
  expect(columnsOf('never opened')).toEqual({});
  const openingLeasedUntil = new Date(checked.getTime() + 30_000);
  expect(columnsOf('being opened')).toEqual({ openingStartedAt: created, openingLeasedUntil });
  expect(columnsOf('opening failed')).toEqual({ openingStartedAt: created });
  expect(columnsOf('polled')).toEqual({ openingStartedAt: created, polledAt: checked });
  expect(columnsOf('stale')).toEqual({ openingStartedAt: created, staleSince: expect.any(Date) });
  const submissionLeasedUntil = new Date('2126-02-01T00:00:00Z');
  expect(columnsOf('submitting')).toEqual({ openingStartedAt: created, submissionLeasedUntil });
  expect(rows.every(({ pollToken }) => pollToken === null)).toBe(true);
});
