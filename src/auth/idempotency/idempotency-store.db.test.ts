import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { loadConfig } from '../../config/config';
import { createResponseSealer } from './response-sealer';
import {
  type ClaimedRequest,
  createIdempotencyStore,
  type IdempotencyStore,
  type IdempotentRequest,
} from './idempotency-store';
import type { CustomerId } from '../principal';
import { RETENTION } from '../../../test/setup/retention-settings';
import { removeExpired } from '../../persistence/retention/remove-expired';

const ALICE = '0197a3c0-0000-7000-8000-000000000001' as CustomerId;
const BOB = '0197a3c0-0000-7000-8000-000000000002' as CustomerId;
const pepper = 'ab'.repeat(32);
const withKeys = (PERSONAL_DATA_KEYS: string | undefined) => {
  const config = loadConfig({ DATABASE_URL: 'postgres://localhost/none', API_KEY_PEPPER: pepper, PERSONAL_DATA_KEYS });
  return createIdempotencyStore({ pool, pepper, lockSeconds: 60, sealer: createResponseSealer(config) });
};
const FIRST_KEY = `1:${'cd'.repeat(32)}`;
const SECOND_KEY = `2:${'ef'.repeat(32)}`;
const response = { status: 201, headers: { 'content-type': 'application/json' }, body: '{"id":"é \\u0000"}' };

let testDatabase: TestDatabase;
let pool: Pool;
let store: IdempotencyStore;
let serial = 0;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  pool = testDatabase.pool;
  store = withKeys(FIRST_KEY);
});
afterAll(async () => {
  await testDatabase.drop();
});

const hashOf = (body: string): Buffer => createHash('sha256').update(body).digest();
const freshRequest = (body = 'body', customerId = ALICE): IdempotentRequest => {
  serial += 1;
  return { customerId, key: `key ${String(serial)}`, requestHash: hashOf(body) };
};
const started = async (request: IdempotentRequest): Promise<ClaimedRequest> => {
  const begun = await store.begin(request);
  if (begun.outcome !== 'started') throw new TypeError(begun.outcome);
  return begun.claimed;
};
const age = (key: string, interval: string) =>
  pool.query(`UPDATE "IdempotentCall" SET "createdAt" = "createdAt" - $2::interval WHERE "key" = $1`, [key, interval]);
const expireLock = (key: string) =>
  pool.query(`UPDATE "IdempotentCall" SET "lockedUntil" = now() - interval '1 second' WHERE "key" = $1`, [key]);

test('one of fifty concurrent callers starts, the others get `running`', async () => {
  const request = freshRequest();
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => store.begin(request)));
  const started = outcomes.filter(({ outcome }) => outcome === 'started');
  const running = outcomes.filter(({ outcome }) => outcome === 'running');
  expect([started.length, running.length]).toEqual([1, 49]);
});

test('replays the first response byte by byte', async () => {
  const request = freshRequest();
  await store.complete(await started(request), response);
  await expect(store.begin(request)).resolves.toEqual({ outcome: 'replay', response });
});

test('the same key with another body is a mismatch, during and after the first request', async () => {
  const request = freshRequest();
  const other = { ...request, requestHash: hashOf('another body') };
  const claimed = await started(request);
  await expect(store.begin(other)).resolves.toEqual({ outcome: 'mismatch' });
  await store.complete(claimed, response);
  await expect(store.begin(other)).resolves.toEqual({ outcome: 'mismatch' });
});

test('the stored hash does not allow guessing a short secret of the request', async () => {
  const request = freshRequest('{"pixKey":"12345678909"}');
  await store.begin(request);
  const kept = await testDatabase.database.idempotentCall.findFirstOrThrow({ where: { key: request.key } });
  expect(Buffer.from(kept.requestHash)).not.toEqual(request.requestHash);
  expect(kept.requestHash).toHaveLength(32);
});

test('a stored response is unreadable in the database, and opens only for its own key', async () => {
  const [request, other] = [freshRequest(), freshRequest()];
  await store.begin(other);
  await store.complete(await started(request), { ...response, body: '{"copyPaste":"00020126readable"}' });
  const { rows } = await pool.query<object>('SELECT * FROM "IdempotentCall" WHERE "key" = $1', [request.key]);
  const texts = Object.values(rows[0]!).map((value) =>
    Buffer.isBuffer(value) ? value.toString('latin1') : String(value),
  );
  expect(texts.join()).not.toMatch(/readable|content-type/);
  await pool.query(
    `UPDATE "IdempotentCall" SET ("status", "answer") =
       (SELECT "status", "answer" FROM "IdempotentCall" WHERE "key" = $1) WHERE "key" = $2`,
    [request.key, other.key],
  );
  await expect(store.begin(other)).rejects.toThrow('belongs to another row');
});

test.each([
  ['another key was put before its own', FIRST_KEY, `${SECOND_KEY},${FIRST_KEY}`],
  ['a key was added to a deployment without keys', undefined, FIRST_KEY],
])('replays a response after %s', async (_, before, after) => {
  const request = freshRequest();
  await withKeys(before).complete(await started(request), response);
  await expect(withKeys(after).begin(request)).resolves.toEqual({ outcome: 'replay', response });
});

test('a response whose sealing key was removed is not returned, and its call does not run again', async () => {
  const request = freshRequest();
  await store.complete(await started(request), response);
  await expect(withKeys(SECOND_KEY).begin(request)).rejects.toThrow('not configured');
  await expect(store.begin(request)).resolves.toMatchObject({ outcome: 'replay' });
});

test('customers do not share keys', async () => {
  const request = freshRequest();
  await store.complete(await started(request), response);
  await expect(store.begin({ ...request, customerId: BOB })).resolves.toMatchObject({ outcome: 'started' });
});

test('an abandoned key is free, also for another body', async () => {
  const request = freshRequest();
  await store.abandon(await started(request));
  await expect(store.begin({ ...request, requestHash: hashOf('another body') })).resolves.toMatchObject({
    outcome: 'started',
  });
});

test('a stored response can neither be abandoned nor replaced', async () => {
  const request = freshRequest();
  const claimed = await started(request);
  await store.complete(claimed, response);
  await store.abandon(claimed);
  await store.complete(claimed, { ...response, status: 500 });
  await expect(store.begin(request)).resolves.toEqual({ outcome: 'replay', response });
});

test.each([
  ['was abandoned', async (first: ClaimedRequest) => store.abandon(first)],
  ['crashed', ({ key }: ClaimedRequest) => expireLock(key)],
])(
  'an end that is repeated or late has no effect on a later request with the key of one that %s',
  async (_, release) => {
    const request = freshRequest();
    const first = await started(request);
    await release(first);
    const second = await started(request);
    await store.abandon(first);
    await store.complete(first, { ...response, status: 500 });
    await expect(store.begin(request)).resolves.toEqual({ outcome: 'running' });
    await store.complete(second, response);
    await expect(store.begin(request)).resolves.toEqual({ outcome: 'replay', response });
  },
);

test('one of fifty callers takes over the key of a crashed process', async () => {
  const sealer = createResponseSealer({ API_KEY_PEPPER: pepper, PERSONAL_DATA_KEYS: undefined });
  const hasty = createIdempotencyStore({ pool, pepper, lockSeconds: 0.05, sealer });
  const request = freshRequest();
  await hasty.begin(request);
  await wait(60);
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => store.begin(request)));
  expect(outcomes.filter(({ outcome }) => outcome === 'started')).toHaveLength(1);
  await expect(store.begin({ ...request, requestHash: hashOf('another body') })).resolves.toEqual({
    outcome: 'mismatch',
  });
});

test('stores responses for exactly 24 hours', async () => {
  const request = freshRequest();
  await store.complete(await started(request), response);
  await age(request.key, '23 hours 59 minutes');
  await expect(store.begin(request)).resolves.toMatchObject({ outcome: 'replay' });
  await age(request.key, '2 minutes');
  await expect(store.begin(request)).resolves.toMatchObject({ outcome: 'started' });
});

test('callers that concurrently begin and abandon the same key all finish', async () => {
  const request = freshRequest();
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const begun = await store.begin(request);
      if (begun.outcome === 'started') await store.abandon(begun.claimed);
      return begun.outcome;
    }),
  );
  expect(outcomes).toContain('started');
});

test('deletes expired rows only', async () => {
  const [old, recent] = [freshRequest(), freshRequest()];
  await store.begin(old);
  await store.begin(recent);
  await age(old.key, '25 hours');
  const hoursAgo = (hours: number) => Date.now() - hours * 3_600_000;
  await pool.query(`INSERT INTO rate_limit VALUES ('old', 1, $1), ('recent', 1, $2)`, [hoursAgo(2), hoursAgo(0)]);
  const removed = await removeExpired({ pool, settings: RETENTION }, new AbortController().signal);
  expect(Object.values(removed)).toEqual([1, 1]);
  const left = await pool.query<{ key: string }>(
    `SELECT "key" FROM "IdempotentCall" WHERE "key" IN ($1, $2) UNION SELECT key FROM rate_limit ORDER BY 1`,
    [old.key, recent.key],
  );
  expect(left.rows.map(({ key }) => key)).toEqual([recent.key, 'recent'].sort());
});
