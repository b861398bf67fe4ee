import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { createWindowCounter } from './window-counter';

let testDatabase: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  pool = testDatabase.pool;
});
afterAll(async () => {
  await testDatabase.drop();
});

afterEach(() => jest.restoreAllMocks());

/** Requests are counted in the database, however slow the machine is. */
const counterOf = (name: string, seconds = 60) => createWindowCounter({ pool, name, seconds, storeTimeoutMs: 60_000 });

test('resets at its end, also for keys that were refused from memory', async () => {
  const window = counterOf('reset');
  const take = () => window.consume('key', 2, 1);
  const decisions = await Promise.all([take(), take(), take()]);
  expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, false]);
  const refused = await take();
  expect(refused).toMatchObject({ allowed: false, remaining: 0 });
  expect(refused.resetMs).toBeGreaterThan(0);
  await pool.query(`UPDATE rate_limit SET expire = 0 WHERE key = 'reset:key'`);
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
  await expect(take()).resolves.toMatchObject({ allowed: true, remaining: 1 });
});

test('does not query the database for a key that exceeded its limit', async () => {
  const window = counterOf('test');
  await window.consume('busy', 1, 1);
  const query = jest.spyOn(pool, 'query');
  for (let request = 0; request < 100; request += 1) await window.consume('busy', 1, 1);
  expect(query).not.toHaveBeenCalled();
});

test('lasts as long as the clock of the database says, whatever the clocks of the replicas show', async () => {
  const [exact, skewed] = [1, 2].map(() => counterOf('clock'));
  await exact!.consume('key', 3, 1);
  jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 600_000);
  const behind = await skewed!.consume('key', 3, 1);
  jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 1_200_000);
  const ahead = await skewed!.consume('key', 3, 1);
  for (const { resetMs } of [behind, ahead]) {
    expect(resetMs).toBeGreaterThan(50_000);
    expect(resetMs).toBeLessThanOrEqual(60_000);
  }
  expect(ahead).toMatchObject({ allowed: true, remaining: 0 });
  await expect(exact!.consume('key', 3, 1)).resolves.toMatchObject({ allowed: false });
});

test('a request above the rest of the limit leaves the rest to smaller requests', async () => {
  const window = counterOf('rest');
  await window.consume('key', 10, 7);
  await expect(window.consume('key', 10, 4)).resolves.toMatchObject({ allowed: false, remaining: 3 });
  await expect(window.consume('key', 10, 3)).resolves.toMatchObject({ allowed: true, remaining: 0 });
});

test('a refunded request can be made again, also when it was the last one of the limit', async () => {
  const window = counterOf('refund');
  const last = await window.consume('key', 1, 1);
  await last.refund();
  await expect(window.consume('key', 1, 1)).resolves.toMatchObject({ allowed: true });
  await expect(window.consume('key', 1, 1)).resolves.toMatchObject({ allowed: false });
});

test('a request that one replica refunds can soon be made at another that has refused the key', async () => {
  const [one, other] = [1, 2].map(() => counterOf('replicas', 3600));
  const last = await one!.consume('key', 1, 1);
  const refused = await other!.consume('key', 1, 1);
  expect(refused.allowed).toBe(false);
  expect(refused.resetMs).toBeGreaterThan(3_500_000);
  await last.refund();
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + 6000);
  await expect(other!.consume('key', 1, 1)).resolves.toMatchObject({ allowed: true });
});

describe('without a database', () => {
  const unreachable = () => ({ query: () => Promise.reject(new Error('unreachable')) }) as unknown as Pool;

  test('a request above the rest of the limit leaves the rest, and refunds are made in memory', async () => {
    const window = createWindowCounter({ pool: unreachable(), name: 'local', seconds: 60 });
    const counted = await window.consume('key', 3, 2);
    await expect(window.consume('key', 3, 2)).resolves.toMatchObject({ allowed: false, remaining: 1 });
    await counted.refund();
    await expect(window.consume('key', 3, 3)).resolves.toMatchObject({ allowed: true, remaining: 0 });
  });

  test('a request that the database counted before is refunded when the database counts again', async () => {
    const window = counterOf('owed');
    const counted = [await window.consume('key', 3, 1), await window.consume('key', 3, 2)];
    const query = jest.spyOn(pool, 'query').mockRejectedValue(new Error('unreachable') as never);
    await Promise.all(counted.map((request) => request.refund()));
    query.mockRestore();
    await expect(window.consume('key', 3, 3)).resolves.toMatchObject({ allowed: true, remaining: 0 });
    await expect(window.consume('key', 3, 1)).resolves.toMatchObject({ allowed: false });
  });

  test('a refund of a request that only this process counted leaves the count of the database', async () => {
    const window = counterOf('mixed');
    await window.consume('key', 3, 2);
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout'] });
    const query = jest.spyOn(pool, 'query').mockRejectedValue(new Error('unreachable') as never);
    const local = await window.consume('key', 3, 2);
    query.mockRestore();
    await local.refund();
    jest.advanceTimersByTime(1000); // the cooldown of the database
    jest.useRealTimers();
    await expect(window.consume('key', 3, 2)).resolves.toMatchObject({ allowed: false, remaining: 1 });
  });

  test('a database that does not respond delays a request by two seconds, and the following ones not at all', async () => {
    jest.useFakeTimers({ doNotFake: ['performance', 'setImmediate'] });
    const query = jest.fn(() => new Promise(() => undefined));
    const window = createWindowCounter({ pool: { query } as unknown as Pool, name: 'hung', seconds: 60 });
    const first = window.consume('key', 3, 1);
    await jest.advanceTimersByTimeAsync(2000);
    await expect(first).resolves.toMatchObject({ allowed: true, remaining: 2 });
    await expect(window.consume('key', 3, 1)).resolves.toMatchObject({ allowed: true, remaining: 1 });
    expect(query).toHaveBeenCalledTimes(1);
    jest.useRealTimers();
  });
});
