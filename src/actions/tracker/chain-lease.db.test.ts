import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import type { Database } from '../../persistence/database';
import { holdLease } from './chain-lease';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

it('the lease of a chain is not taken by a user that sees no rows because of row-level security', async () => {
  const role = `blind_${randomUUID().slice(0, 8)}`;
  const take = (): Promise<boolean> =>
    test.database.$transaction(async (tx) => {
      await tx.$executeRawUnsafe(`SET LOCAL ROLE ${role}`);
      return holdLease({ database: tx as Database, replicaId: randomUUID() }, 1);
    });
  await test.pool.query(`CREATE ROLE ${role}; GRANT SELECT, INSERT, UPDATE ON "ChainTracker" TO ${role}`);
  try {
    expect(await take()).toBe(false);
    await test.pool.query(`ALTER ROLE ${role} BYPASSRLS`);
    expect(await take()).toBe(true);
    await test.pool.query(
      `ALTER ROLE ${role} NOBYPASSRLS; DELETE FROM "ChainTracker"; GRANT afluente_worker TO ${role}`,
    );
    expect(await take()).toBe(true);
  } finally {
    await test.pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  }
});
