import { setTimeout as wait } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { parseApiKey } from '../auth/credentials/api-key';
import { hashSecret } from '../auth/credentials/secret-hash';
import type { CustomerId } from '../auth/principal';
import type { Database } from '../persistence/database';
import { createApiKey, findApiKey, listApiKeys, revokeApiKey, rotateApiKey } from './api-keys';
import { createCustomer, type Customer } from './customers';

const pepper = 'ab'.repeat(32);
const UNKNOWN_ID = '0197a3c0-0000-7000-8000-000000000000' as CustomerId;

let testDatabase: TestDatabase;
let database: Database;
let alice: Customer;
let bob: Customer;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = testDatabase.database;
});
afterAll(() => testDatabase.drop());
beforeEach(async () => {
  await database.apiKey.deleteMany();
  await database.customer.deleteMany();
  alice = await createCustomer(database, { name: 'alice' });
  bob = await createCustomer(database, { name: 'bob' });
});

const newKey = async (customerId = alice.id, label = 'server') =>
  (await createApiKey({ database, pepper }, { customerId, label }))!;
const validationErrorAt = (...paths: string[]) => ({
  code: 'VALIDATION_ERROR',
  details: { errors: paths.map((path) => expect.objectContaining({ path }) as object) },
});

describe('API keys', () => {
  test('are stored only as an HMAC of their secret', async () => {
    const { key, id } = await newKey();
    const { secret } = parseApiKey(key)!;
    const row = await database.apiKey.findUniqueOrThrow({ where: { id } });
    expect(Buffer.from(row.secretHash)).toEqual(hashSecret(pepper, secret));
    expect(JSON.stringify(row)).not.toContain(secret);
  });

  test('are listed without their secret, newest first, for their own customer only', async () => {
    const first = await newKey();
    await wait(3); // longer than the resolution of the clock that orders lists
    const second = await newKey(alice.id, 'laptop');
    await newKey(bob.id);
    const listed = await listApiKeys(database, alice.id);
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

  test('are not created for an unknown customer, with a blank label or with an expiry in the past', async () => {
    expect(await createApiKey({ database, pepper }, { customerId: UNKNOWN_ID, label: 'server' })).toBeUndefined();
    const invalid = { customerId: alice.id, label: ' ', expiresAt: new Date(0) };
    await expect(createApiKey({ database, pepper }, invalid)).rejects.toMatchObject(
      validationErrorAt('label', 'expiresAt'),
    );
  });

  test('keep the date of their first revocation', async () => {
    const { id } = await newKey();
    const first = await revokeApiKey(database, { customerId: alice.id, keyId: id });
    const second = await revokeApiKey(database, { customerId: alice.id, keyId: id });
    expect(first?.revokedAt).toBeInstanceOf(Date);
    expect(second).toEqual(first);
  });

  test('of another customer can be neither revoked nor rotated', async () => {
    const { id: keyId } = await newKey();
    const before = await findApiKey(database, keyId);
    expect(await revokeApiKey(database, { customerId: bob.id, keyId })).toBeUndefined();
    expect(await rotateApiKey({ database, pepper }, { customerId: bob.id, keyId, overlapSeconds: 0 })).toBeUndefined();
    expect(await findApiKey(database, keyId)).toEqual(before);
    expect(await listApiKeys(database, bob.id)).toEqual([]);
  });
});

describe('rotation', () => {
  const rotate = (keyId: string, overlapSeconds: number) =>
    rotateApiKey({ database, pepper }, { customerId: alice.id, keyId, overlapSeconds });
  const readExpiry = async (keyId: string) => (await findApiKey(database, keyId))?.expiresAt?.getTime();

  test('creates a key with the same label and keeps the old one valid for the overlap', async () => {
    const old = await newKey();
    const started = Date.now();
    const rotated = await rotate(old.id, 3600);
    expect(rotated).toMatchObject({ label: 'server', customerId: alice.id, expiresAt: null });
    expect(parseApiKey(rotated!.key)?.id).toBe(rotated!.id);
    expect(await readExpiry(old.id)).toBeGreaterThanOrEqual(started + 3_600_000);
    expect(await readExpiry(old.id)).toBeLessThanOrEqual(Date.now() + 3_600_000);
  });

  test('never extends the life of the old key', async () => {
    const expiresAt = new Date(Date.now() + 60_000);
    const old = await createApiKey({ database, pepper }, { customerId: alice.id, label: 'server', expiresAt });
    await rotate(old!.id, 3600);
    expect(await readExpiry(old!.id)).toBe(expiresAt.getTime());
  });

  test('leaves expired and revoked keys unchanged', async () => {
    const [revoked, expired] = [await newKey(), await newKey()];
    await revokeApiKey(database, { customerId: alice.id, keyId: revoked.id });
    await rotate(expired.id, 0);
    const before = await listApiKeys(database, alice.id);
    expect(await rotate(revoked.id, 60)).toBeUndefined();
    expect(await rotate(expired.id, 60)).toBeUndefined();
    expect(await listApiKeys(database, alice.id)).toEqual(before);
  });

  test('leaves the old key unchanged when the new one cannot be created', async () => {
    const old = await newKey();
    const rotation = { customerId: alice.id, keyId: old.id, overlapSeconds: 0, expiresAt: new Date(0) };
    await expect(rotateApiKey({ database, pepper }, rotation)).rejects.toMatchObject(validationErrorAt('expiresAt'));
    expect(await readExpiry(old.id)).toBeUndefined();
    await expect(rotate(old.id, -1)).rejects.toMatchObject(validationErrorAt('overlapSeconds'));
  });
});
