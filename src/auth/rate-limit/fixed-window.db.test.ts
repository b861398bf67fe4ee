import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { createFixedWindow } from './fixed-window';

let testDatabase: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  pool = testDatabase.pool;
});
afterAll(async () => {
  await testDatabase.drop();
});

test('resets at its end, also for keys that were refused from memory', async () => {
  const window = createFixedWindow({ pool, name: 'test', seconds: 1 });
  const take = () => window.consume('key', 2, 1);
  const decisions = await Promise.all([take(), take(), take()]);
  expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, false]);
  const refused = await take();
  expect(refused).toMatchObject({ allowed: false, remaining: 0 });
  expect(refused.resetMs).toBeGreaterThan(0);
  await wait(1050);
  await expect(take()).resolves.toMatchObject({ allowed: true, remaining: 1 });
});

test('does not query the database for a key that exceeded its limit', async () => {
  const window = createFixedWindow({ pool, name: 'test', seconds: 60 });
  await window.consume('busy', 1, 1);
  const query = jest.spyOn(pool, 'query');
  for (let request = 0; request < 100; request += 1) await window.consume('busy', 1, 1);
  expect(query).not.toHaveBeenCalled();
});
