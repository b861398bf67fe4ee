import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import type { CustomerStanding } from '../credentials/credential-store';
import type { CustomerId } from '../principal';
import { createRateLimiter, type RateLimiter, type RateLimitSubject } from './rate-limiter';

const ALICE = '0197a3c0-0000-7000-8000-000000000001' as CustomerId;
const BOB = '0197a3c0-0000-7000-8000-000000000002' as CustomerId;
const limits = { perMinute: 100, perHour: 1000, perMinuteUnauthenticated: 5 };

let testDatabase: TestDatabase;
const pools: Pool[] = [];
const standings = new Map<CustomerId, CustomerStanding>();
let serial = 0;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
beforeEach(() => standings.clear());
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await testDatabase.drop();
});

/** A separate replica, which shares no memory with others. It counts in the database, however slow the machine is. */
function createReplica(url: string = testDatabase.url, seconds = limits): RateLimiter {
  const pool = new Pool({ connectionString: url, max: 5 });
  pool.on('error', () => undefined);
  pools.push(pool);
  const findCustomer = (id: CustomerId) => Promise.resolve(standings.get(id));
  return createRateLimiter({ pool, limits: seconds, findCustomer, storeTimeoutMs: 60_000 });
}

const freshKey = (customerId = ALICE): RateLimitSubject => ({
  kind: 'caller',
  callerId: `key${String(++serial)}`,
  customerId,
});

async function allowedOf(replicas: readonly RateLimiter[], subject: RateLimitSubject, requests: number) {
  const decisions = await Promise.all(
    Array.from({ length: requests }, (_, index) => replicas[index % replicas.length]!.consume(subject, 1)),
  );
  return decisions.filter(({ allowed }) => allowed).length;
}

test('exactly a hundred of a thousand concurrent requests over three replicas pass', async () => {
  const replicas = [createReplica(), createReplica(), createReplica()];
  expect(await allowedOf(replicas, freshKey(), 1000)).toBe(100);
});

test('reports both windows, and the seconds to wait once the minute is exceeded', async () => {
  const replica = createReplica();
  const key = freshKey();
  expect(await replica.consume(key, 1)).toEqual({
    allowed: true,
    windows: [
      { name: 'minute', limit: 100, remaining: 99, resetSeconds: 60 },
      { name: 'hour', limit: 1000, remaining: 999, resetSeconds: 3600 },
    ],
    retryAfter: undefined,
    exceeded: undefined,
    refund: expect.any(Function) as () => Promise<void>,
  });
  await replica.consume(key, 99);
  const refused = await replica.consume(key, 1);
  const minute = { name: 'minute', limit: 100, remaining: 0, resetSeconds: expect.any(Number) as number };
  const retryAfter = minute.resetSeconds;
  expect(refused).toMatchObject({ allowed: false, windows: [minute], exceeded: minute, retryAfter });
  expect(refused.windows).toHaveLength(1);
  expect(refused.retryAfter).toBeGreaterThan(50);
  expect(refused.retryAfter).toBeLessThanOrEqual(60);
});

test('requests that the minute refuses do not count against the hour', async () => {
  const replica = createReplica();
  const key = freshKey();
  await allowedOf([replica], key, 500);
  const { rows } = await pools[0]!.query<{ points: number }>(
    `SELECT points FROM rate_limit WHERE key = 'hour:key:' || $1`,
    [key.kind === 'caller' ? key.callerId : ''],
  );
  expect(rows).toEqual([{ points: 100 }]);
});

test('an exceeded hour refuses even when the minute is not exceeded', async () => {
  const replica = createReplica(testDatabase.url, { ...limits, perHour: 3 });
  const key = freshKey();
  expect(await allowedOf([replica], key, 10)).toBe(3);
  const { exceeded, windows } = await replica.consume(key, 1);
  expect(exceeded).toMatchObject({ name: 'hour', limit: 3, remaining: 0 });
  expect(windows.map(({ name }) => name)).toEqual(['minute', 'hour']);
});

test('a request that the hour refuses does not count against the minute', async () => {
  const replica = createReplica(testDatabase.url, { ...limits, perHour: 50 });
  const key = freshKey();
  await replica.consume(key, 10);
  const refused = await replica.consume(key, 60);
  expect(refused).toMatchObject({ allowed: false, exceeded: { name: 'hour', remaining: 40 } });
  expect(refused.windows[0]).toMatchObject({ name: 'minute', remaining: 90 });
  await expect(replica.consume(key, 40)).resolves.toMatchObject({ allowed: true });
});

test('a refund gives the request back to both windows, once', async () => {
  const replica = createReplica(testDatabase.url, { ...limits, perMinute: 2, perHour: 2 });
  const key = freshKey();
  const [first] = [await replica.consume(key, 1), await replica.consume(key, 1)];
  await first.refund();
  await first.refund();
  expect(await allowedOf([replica], key, 5)).toBe(1);
});

test('a request with a higher cost counts as many, and is refused as a whole', async () => {
  const replica = createReplica();
  const key = freshKey();
  await expect(replica.consume(key, 95)).resolves.toMatchObject({ allowed: true });
  await expect(replica.consume(key, 6)).resolves.toMatchObject({ allowed: false });
});

test('a customer can have its own limits, and changes take effect', async () => {
  const replica = createReplica();
  const [alice, bob] = [freshKey(ALICE), freshKey(BOB)];
  standings.set(ALICE, {
    status: 'ACTIVE',
    rateLimitPerMinute: 3,
    rateLimitPerHour: null,
    limits: {},
    chosenLimits: {},
  });
  expect(await allowedOf([replica], alice, 10)).toBe(3);
  expect(await allowedOf([replica], bob, 10)).toBe(10);
  const unlimited = 1_000_000_000;
  standings.set(ALICE, {
    status: 'ACTIVE',
    rateLimitPerMinute: unlimited,
    rateLimitPerHour: unlimited,
    limits: {},
    chosenLimits: {},
  });
  expect(await allowedOf([replica], alice, 2000)).toBe(2000);
});

test('keys of the same customer are counted separately', async () => {
  const replica = createReplica();
  expect(await allowedOf([replica], freshKey(), 150)).toBe(100);
  expect(await allowedOf([replica], freshKey(), 150)).toBe(100);
});

test('addresses are limited by the minute, all of one subscriber together', async () => {
  const replica = createReplica();
  const from = (address: string) => replica.consume({ kind: 'address', address }, 1);
  for (let request = 0; request < 5; request += 1) {
    await expect(from(`2001:db8::${String(request)}`)).resolves.toMatchObject({ allowed: true });
  }
  const { allowed, windows } = await from('2001:db8::ffff');
  expect(allowed).toBe(false);
  expect(windows).toMatchObject([{ name: 'minute', limit: 5 }]);
  await expect(from('2001:db8:0:1::1')).resolves.toMatchObject({ allowed: true });
});

test('a key name of any length can be counted', async () => {
  const subject = { kind: 'caller', callerId: `bearer:${'x'.repeat(5000)}`, customerId: ALICE } as const;
  await expect(createReplica().consume(subject, 1)).resolves.toMatchObject({ allowed: true });
});

test('while the database is unavailable each replica enforces the limits separately', async () => {
  const replica = createReplica('postgresql://nobody@127.0.0.1:1/nowhere');
  expect(await allowedOf([replica], freshKey(), 300)).toBe(100);
});
