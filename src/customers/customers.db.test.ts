import { setTimeout as wait } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { parseApiKey } from '../auth/api-key';
import type { CustomerId } from '../auth/principal';
import { hashSecret } from '../auth/secret-hash';
import type { Database } from '../persistence/database';
import { activateCustomer, setRateLimits, suspendCustomer } from './change-customer';
import { createApiKey } from './create-api-key';
import { createCustomer } from './create-customer';
import type { Customer } from './customer';
import { customerProfile } from './customer-profile';
import { findApiKey } from './find-api-key';
import { findCustomers } from './find-customers';
import { listApiKeys } from './list-api-keys';
import { listCustomers } from './list-customers';
import { revokeApiKey } from './revoke-api-key';
import { rotateApiKey } from './rotate-api-key';

const pepper = 'ab'.repeat(32);
const NOBODY = '0197a3c0-0000-7000-8000-000000000000' as CustomerId;

let testDatabase: TestDatabase;
let db: Database;
let alice: Customer;
let bob: Customer;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.database;
});
afterAll(() => testDatabase.drop());
beforeEach(async () => {
  await db.apiKey.deleteMany();
  await db.customer.deleteMany();
  alice = await createCustomer(db, { name: 'alice' });
  await aMoment();
  bob = await createCustomer(db, { name: 'bob', rateLimitPerMinute: 5, rateLimitPerHour: 50 });
});

/** Longer than the resolution of the clock by which lists are ordered. */
const aMoment = () => wait(3);
const newKey = async (customerId = alice.id, label = 'server') =>
  (await createApiKey({ db, pepper }, { customerId, label }))!;
const refused = (...paths: string[]) => ({
  code: 'VALIDATION_ERROR',
  details: { errors: paths.map((path) => expect.objectContaining({ path }) as object) },
});

describe('customers', () => {
  test('start active, with the limits of the deployment unless given their own', () => {
    expect(alice).toMatchObject({ name: 'alice', status: 'ACTIVE', rateLimitPerMinute: null, rateLimitPerHour: null });
    expect(bob).toMatchObject({ rateLimitPerMinute: 5, rateLimitPerHour: 50 });
    expect(alice.id < bob.id).toBe(true);
  });

  test('are refused with everything that is wrong with them', async () => {
    await expect(
      createCustomer(db, { name: 'a\u0000b', rateLimitPerMinute: 0, rateLimitPerHour: 1.5 }),
    ).rejects.toMatchObject(refused('name', 'rateLimitPerMinute', 'rateLimitPerHour'));
  });

  test('are found by id or by name', async () => {
    await createCustomer(db, { name: 'bob' });
    expect(await findCustomers(db, alice.id)).toEqual([alice]);
    expect(await findCustomers(db, 'alice')).toEqual([alice]);
    expect(await findCustomers(db, 'bob')).toHaveLength(2);
    expect(await findCustomers(db, NOBODY)).toEqual([]);
  });

  test('are listed page by page, the oldest first', async () => {
    const pages = [await listCustomers(db, { limit: 1 }), await listCustomers(db, { limit: 1, page: 2 })];
    expect(pages.map(({ data }) => data)).toEqual([[alice], [bob]]);
    expect(pages.map(({ pagination }) => pagination)).toEqual([
      { page: 1, limit: 1, total: 2, totalPages: 2, hasMore: true },
      { page: 2, limit: 1, total: 2, totalPages: 2, hasMore: false },
    ]);
    await expect(listCustomers(db, { page: 0, limit: 501 })).rejects.toMatchObject(refused('page', 'limit'));
  });

  test('can be suspended and activated again, as often as one likes', async () => {
    await suspendCustomer(db, alice.id);
    expect(await suspendCustomer(db, alice.id)).toMatchObject({ status: 'SUSPENDED' });
    await activateCustomer(db, alice.id);
    expect(await activateCustomer(db, alice.id)).toMatchObject({ status: 'ACTIVE' });
    expect(await suspendCustomer(db, NOBODY)).toBeUndefined();
  });

  test('keep the limits that are not mentioned, and return to those of the deployment with null', async () => {
    expect(await setRateLimits(db, bob.id, { rateLimitPerMinute: 7 })).toMatchObject({
      rateLimitPerMinute: 7,
      rateLimitPerHour: 50,
    });
    expect(await setRateLimits(db, bob.id, { rateLimitPerHour: null })).toMatchObject({
      rateLimitPerMinute: 7,
      rateLimitPerHour: null,
    });
    await expect(setRateLimits(db, bob.id, { rateLimitPerHour: -1 })).rejects.toMatchObject(
      refused('rateLimitPerHour'),
    );
    expect(await setRateLimits(db, NOBODY, { rateLimitPerHour: 1 })).toBeUndefined();
  });
});

describe('API keys', () => {
  test('are stored as an HMAC of their secret alone', async () => {
    const { key, id } = await newKey();
    const { secret } = parseApiKey(key)!;
    const row = await db.apiKey.findUniqueOrThrow({ where: { id } });
    expect(Buffer.from(row.secretHash)).toEqual(hashSecret(pepper, secret));
    expect(JSON.stringify(row)).not.toContain(secret);
  });

  test('are listed without their secret, the newest first, for their customer alone', async () => {
    const first = await newKey();
    await aMoment();
    const second = await newKey(alice.id, 'laptop');
    await newKey(bob.id);
    const listed = await listApiKeys(db, alice.id);
    expect(listed.map(({ id, label }) => [id, label])).toEqual([
      [second.id, 'laptop'],
      [first.id, 'server'],
    ]);
    expect(listed[1]).toEqual({
      id: first.id,
      prefix: `sk_live_${first.id}`,
      label: 'server',
      createdAt: expect.any(Date) as Date,
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
    });
  });

  test('are not made for nobody, nor blank, nor expired', async () => {
    expect(await createApiKey({ db, pepper }, { customerId: NOBODY, label: 'server' })).toBeUndefined();
    const wrong = { customerId: alice.id, label: ' ', expiresAt: new Date(0) };
    await expect(createApiKey({ db, pepper }, wrong)).rejects.toMatchObject(refused('label', 'expiresAt'));
  });

  test('stay revoked since the first time', async () => {
    const { id } = await newKey();
    const first = await revokeApiKey(db, { customerId: alice.id, keyId: id });
    const second = await revokeApiKey(db, { customerId: alice.id, keyId: id });
    expect(first?.revokedAt).toBeInstanceOf(Date);
    expect(second).toEqual(first);
  });

  test('of another customer can be neither revoked nor rotated', async () => {
    const { id: keyId } = await newKey();
    const before = await findApiKey(db, keyId);
    expect(await revokeApiKey(db, { customerId: bob.id, keyId })).toBeUndefined();
    expect(await rotateApiKey({ db, pepper }, { customerId: bob.id, keyId, overlapSeconds: 0 })).toBeUndefined();
    expect(await findApiKey(db, keyId)).toEqual(before);
    expect(await listApiKeys(db, bob.id)).toEqual([]);
  });
});

describe('rotation', () => {
  const rotate = (keyId: string, overlapSeconds: number) =>
    rotateApiKey({ db, pepper }, { customerId: alice.id, keyId, overlapSeconds });
  const expiryOf = async (keyId: string) => (await findApiKey(db, keyId))?.expiresAt?.getTime();

  test('makes a new key with the same label and lets the old one live for the overlap', async () => {
    const old = await newKey();
    const started = Date.now();
    const rotated = await rotate(old.id, 3600);
    expect(rotated).toMatchObject({ label: 'server', customerId: alice.id, expiresAt: null });
    expect(parseApiKey(rotated!.key)?.id).toBe(rotated!.id);
    expect(await expiryOf(old.id)).toBeGreaterThanOrEqual(started + 3_600_000);
    expect(await expiryOf(old.id)).toBeLessThanOrEqual(Date.now() + 3_600_000);
  });

  test('never prolongs the old key', async () => {
    const expiresAt = new Date(Date.now() + 60_000);
    const old = await createApiKey({ db, pepper }, { customerId: alice.id, label: 'server', expiresAt });
    await rotate(old!.id, 3600);
    expect(await expiryOf(old!.id)).toBe(expiresAt.getTime());
  });

  test('does nothing to a key that is no longer in force', async () => {
    const [revoked, ended] = [await newKey(), await newKey()];
    await revokeApiKey(db, { customerId: alice.id, keyId: revoked.id });
    await rotate(ended.id, 0);
    const before = await listApiKeys(db, alice.id);
    expect(await rotate(revoked.id, 60)).toBeUndefined();
    expect(await rotate(ended.id, 60)).toBeUndefined();
    expect(await listApiKeys(db, alice.id)).toEqual(before);
  });

  test('leaves the old key as it is when the new one cannot be made', async () => {
    const old = await newKey();
    const rotation = { customerId: alice.id, keyId: old.id, overlapSeconds: 0, expiresAt: new Date(0) };
    await expect(rotateApiKey({ db, pepper }, rotation)).rejects.toMatchObject(refused('expiresAt'));
    expect(await expiryOf(old.id)).toBeUndefined();
    await expect(rotate(old.id, -1)).rejects.toMatchObject(refused('overlapSeconds'));
  });
});

test('the profile says who one is, what one may do and which keys there are', async () => {
  const { id } = await newKey(bob.id);
  const deps = { db, rateLimit: { perMinute: 100, perHour: 1000 } };
  const key = expect.objectContaining({ id, prefix: `sk_live_${id}` }) as object;
  expect(await customerProfile(deps, { customerId: bob.id, role: 'developer' })).toEqual({
    id: bob.id,
    name: 'bob',
    status: 'ACTIVE',
    role: 'developer',
    permissions: ['read', 'write'],
    createdAt: bob.createdAt,
    apiKeys: [key],
    rateLimit: { perMinute: 5, perHour: 50 },
    features: [],
    webhookURL: null,
  });
  const viewer = await customerProfile(deps, { customerId: alice.id, role: 'viewer' });
  expect(viewer).toMatchObject({ permissions: ['read'], rateLimit: { perMinute: 100, perHour: 1000 }, apiKeys: [] });
});
