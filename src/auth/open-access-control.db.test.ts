import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { loadConfig } from '../config/config';
import { formatApiKey, generateApiKey, parseApiKey } from './credentials/api-key';
import { type AccessControl, openAccessControl } from './open-access-control';
import { hashSecret } from './credentials/secret-hash';

const pepper = 'ab'.repeat(32);
const CUSTOMER = '0197a3c0-0000-7000-8000-000000000001';

let testDatabase: TestDatabase;
let pool: Pool;
let now: number;
const replicas: AccessControl[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  pool = testDatabase.pool;
  await testDatabase.database.customer.create({ data: { id: CUSTOMER, name: 'alice' } });
});
afterAll(async () => {
  await testDatabase.drop();
});
beforeEach(async () => {
  await testDatabase.database.customer.update({ where: { id: CUSTOMER }, data: { status: 'ACTIVE' } });
  now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => now);
});
afterEach(async () => {
  await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
  jest.restoreAllMocks();
});

function openReplica(): AccessControl {
  const config = loadConfig({ DATABASE_URL: testDatabase.url, API_KEY_PEPPER: pepper });
  const replica = openAccessControl({ database: testDatabase.database, pool, config });
  replicas.push(replica);
  return replica;
}

async function storeKey(key = generateApiKey()): Promise<string> {
  const secretHash = Uint8Array.from(hashSecret(pepper, key.secret));
  await testDatabase.database.apiKey.create({ data: { id: key.id, customerId: CUSTOMER, label: 'test', secretHash } });
  return formatApiKey(key);
}

const idOf = (key: string): string => parseApiKey(key)!.id;
const send = ({ authenticator }: AccessControl, apiKey: string) =>
  authenticator.authenticate({ apiKey, authorization: undefined, clientAddress: '203.0.113.7' }, 'apiKey');

test('a revocation takes effect within 5 s on every replica', async () => {
  const key = await storeKey();
  const both = [openReplica(), openReplica()];
  for (const replica of both) await expect(send(replica, key)).resolves.toMatchObject({ customerId: CUSTOMER });
  await testDatabase.database.apiKey.update({ where: { id: idOf(key) }, data: { revokedAt: new Date() } });
  now += 5000;
  for (const replica of both) await expect(send(replica, key)).rejects.toMatchObject({ code: 'INVALID_API_KEY' });
});

test('a suspension takes effect within 5 s, and so does its end', async () => {
  const key = await storeKey();
  const replica = openReplica();
  await send(replica, key);
  await testDatabase.database.customer.update({ where: { id: CUSTOMER }, data: { status: 'SUSPENDED' } });
  now += 5000;
  await expect(send(replica, key)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await testDatabase.database.customer.update({ where: { id: CUSTOMER }, data: { status: 'ACTIVE' } });
  now += 5000;
  await expect(send(replica, key)).resolves.toBeDefined();
});

test('a key that was looked up before it existed works within 30 s', async () => {
  const key = generateApiKey();
  const replica = openReplica();
  await expect(send(replica, formatApiKey(key))).rejects.toMatchObject({ code: 'INVALID_API_KEY' });
  await storeKey(key);
  now += 30_000;
  await expect(send(replica, formatApiKey(key))).resolves.toMatchObject({ keyId: key.id });
});

test('two hundred requests with one key cost the database two statements', async () => {
  const key = await storeKey();
  const replica = openReplica();
  const query = jest.spyOn(testDatabase.database.apiKey, 'findUnique');
  const customer = jest.spyOn(testDatabase.database.customer, 'findUnique');
  await Promise.all(Array.from({ length: 200 }, () => send(replica, key)));
  expect([query.mock.calls.length, customer.mock.calls.length]).toEqual([1, 1]);
});

test('the use of a key is recorded once a minute across all replicas', async () => {
  const key = await storeKey();
  const noted = async () =>
    (await testDatabase.database.apiKey.findUniqueOrThrow({ where: { id: idOf(key) } })).lastUsedAt;
  const [first, second] = [openReplica(), openReplica()];
  await send(first, key);
  await first.stop();
  const before = await noted();
  expect(before).toBeInstanceOf(Date);
  await send(second, key);
  await second.stop();
  expect(await noted()).toEqual(before);
});

test('without an identity provider every access token is rejected', async () => {
  const credentials = { apiKey: undefined, authorization: 'Bearer a.b.c', clientAddress: '203.0.113.7' };
  const refused = { code: 'INVALID_AUTH_TOKEN', status: 401 };
  await expect(openReplica().authenticator.authenticate(credentials, 'bearer')).rejects.toMatchObject(refused);
});
