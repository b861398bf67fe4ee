import type { Pool } from 'pg';
import { type IdentityProvider, startIdentityProvider } from '../../devnet/identity-provider/start-identity-provider';
import { type AccessControl, openAccessControl } from '../../src/auth/open-access-control';
import { ROLES } from '../../src/auth/principal';
import { loadConfig } from '../../src/config/config';
import { createCustomer, type Customer, suspendCustomer } from '../../src/customers/customers';
import { revokeMember, saveMember } from '../../src/customers/members';
import { LONG_DATABASE_TIMEOUT } from '../setup/no-load-shedding';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';

let provider: IdentityProvider;
let testDatabase: TestDatabase;
let pool: Pool;
let access: AccessControl;
let alice: Customer;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  pool = testDatabase.pool;
});
afterAll(async () => {
  await testDatabase.drop();
});
beforeEach(async () => {
  provider = await startIdentityProvider();
  const config = loadConfig({
    DATABASE_URL: testDatabase.url,
    API_KEY_PEPPER: 'ab'.repeat(32),
    JWKS_URL: provider.jwksUrl,
    JWT_ISSUER: provider.issuer,
    JWT_AUDIENCE: provider.audience,
    REQUEST_TIMEOUT_MS: '60000',
    ...LONG_DATABASE_TIMEOUT,
  });
  access = openAccessControl({ database: testDatabase.database, pool, config, keysTimeoutMs: 60_000 });
  alice = await createCustomer(testDatabase.database, { name: 'alice' });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await access.stop();
  await provider.stop();
});

const issue = (overrides: Partial<Parameters<IdentityProvider['issueToken']>[0]> = {}) =>
  provider.issueToken({ customerId: alice.id, subject: 'ana', role: 'owner', ...overrides });
const send = (token: string) =>
  access.authenticator.authenticate(
    { apiKey: undefined, authorization: `Bearer ${token}`, clientAddress: '203.0.113.7' },
    'bearer',
  );
const later = (seconds: number) => jest.spyOn(Date, 'now').mockReturnValue(Date.now() + seconds * 1000);

test.each(ROLES)('a token of the identity provider grants access to the dashboard as %s', async (role) => {
  const expected = { kind: 'bearer', customerId: alice.id, subject: 'ana', role };
  await expect(send(await issue({ role }))).resolves.toEqual(expected);
});

test('an expired token is refused', async () => {
  await expect(send(await issue({ expiresInSeconds: -31 }))).rejects.toMatchObject({ code: 'INVALID_AUTH_TOKEN' });
});

test('an unknown customer is refused, a suspended customer is forbidden', async () => {
  const unknownCustomer = await issue({ customerId: '0197a3c0-0000-7000-8000-000000000000' });
  await expect(send(unknownCustomer)).rejects.toMatchObject({ code: 'INVALID_AUTH_TOKEN' });
  await suspendCustomer(testDatabase.database, alice.id);
  await expect(send(await issue())).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

test('a member has its own role within 5 s, in place of the token, and none once it is revoked', async () => {
  const { database } = testDatabase;
  const token = await issue({ role: 'owner', expiresInSeconds: 86_400 });
  const ana = { customerId: alice.id, subject: 'ana' };
  await expect(send(token)).resolves.toMatchObject({ role: 'owner' });
  await saveMember(database, { ...ana, role: 'viewer' });
  later(5);
  await expect(send(token)).resolves.toMatchObject({ role: 'viewer' });
  await revokeMember(database, ana);
  later(5);
  await expect(send(token)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(send(await issue({ subject: 'eve' }))).resolves.toMatchObject({ role: 'owner' });
});

test('existing sessions survive a rotation of the keys', async () => {
  const before = await issue();
  await send(before);
  await provider.rotateKeys();
  later(30);
  await expect(send(await issue())).resolves.toMatchObject({ customerId: alice.id });
  await expect(send(before)).resolves.toMatchObject({ customerId: alice.id });
});

test('existing sessions survive an outage of the identity provider', async () => {
  const token = await issue({ expiresInSeconds: 86_400 });
  await send(token);
  await fetch(`${provider.url}/control/outage`, { method: 'POST', body: '{"mode":"error"}' });
  later(3600);
  await expect(send(token)).resolves.toMatchObject({ customerId: alice.id });
});
