import { createHmac, randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { PROJECT_ROOT } from '../../config/project-root';
import { applyMigrations } from '../../persistence/apply-migrations';
import { createResponseSealer } from './response-sealer';
import { createIdempotencyStore } from './idempotency-store';
import type { CustomerId } from '../principal';

const MIGRATIONS = path.join(PROJECT_ROOT, 'prisma/migrations');
const SEALED = '20261121104357_sealed_answers';
const pepper = 'ab'.repeat(32);
const log = { info: () => undefined, warn: () => undefined };

let test: TestDatabase;
let before: string;
beforeAll(async () => {
  test = await createTestDatabase('template1');
  before = mkdtempSync(path.join(tmpdir(), 'afluente-migrations-'));
  for (const name of readdirSync(MIGRATIONS)) {
    if (name < SEALED) cpSync(path.join(MIGRATIONS, name), path.join(before, name), { recursive: true });
  }
});
afterAll(async () => {
  rmSync(before, { recursive: true });
  await test.drop();
});

it('a call from before responses were sealed does not run again within its day, and its plain response is removed', async () => {
  const { pool, url } = test;
  await applyMigrations({ url, log, folder: before });
  const request = { customerId: randomUUID() as CustomerId, key: 'key', requestHash: Buffer.alloc(32) };
  const hash = createHmac('sha256', Buffer.from(pepper, 'hex')).update(request.requestHash).digest();
  const sealer = createResponseSealer({ API_KEY_PEPPER: pepper, PERSONAL_DATA_KEYS: undefined });
  const store = createIdempotencyStore({ pool, pepper, lockSeconds: 60, sealer });
  await expect(store.begin(request)).rejects.toThrow('answer'); // the column is not there yet
  await pool.query(
    `INSERT INTO "IdempotentCall" ("customerId", "key", "requestHash", "status", "headers", "body", "createdAt", "lockedUntil")
     VALUES ($1, $2, $3, 200, '{}', 'readable', now() - interval '23 hours', now() - interval '23 hours')`,
    [request.customerId, request.key, hash],
  );
  await applyMigrations({ url, log });
  await expect(store.begin(request)).resolves.toEqual({ outcome: 'running' });
  const { rows } = await pool.query<object>('SELECT * FROM "IdempotentCall"');
  expect(JSON.stringify(rows)).not.toContain('readable');
  await pool.query(`UPDATE "IdempotentCall" SET "createdAt" = now() - interval '25 hours'`);
  await expect(store.begin(request)).resolves.toMatchObject({ outcome: 'started' });
});
