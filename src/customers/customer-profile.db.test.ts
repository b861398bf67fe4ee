import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { createApiKey } from './api-keys';
import { customerProfile } from './customer-profile';
import { createCustomer } from './customers';

let testDatabase: TestDatabase;
beforeAll(async () => (testDatabase = await createTestDatabase()));
afterAll(() => testDatabase.drop());

test('the profile shows the customer, the permissions of the role and the API keys', async () => {
  const { database } = testDatabase;
  const alice = await createCustomer(database, { name: 'alice' });
  const bob = await createCustomer(database, { name: 'bob', rateLimitPerMinute: 5, rateLimitPerHour: 50 });
  const created = await createApiKey({ database, pepper: 'ab'.repeat(32) }, { customerId: bob.id, label: 'server' });
  const { id } = created!;
  const deps = { database, rateLimit: { perMinute: 100, perHour: 1000 } };
  const key = expect.objectContaining({ id, prefix: `sk_live_${id}` }) as object;
  expect(await customerProfile(deps, { customerId: bob.id, role: 'developer' })).toEqual({
    id: bob.id,
    name: 'bob',
    status: 'ACTIVE',
    role: 'developer',
    permissions: ['read', 'write', 'apiKeys:write', 'webhooks:write', 'fees:write'],
    createdAt: bob.createdAt,
    apiKeys: [key],
    rateLimit: { perMinute: 5, perHour: 50 },
    features: [],
    webhookURL: null,
  });
  const viewer = await customerProfile(deps, { customerId: alice.id, role: 'viewer' });
  expect(viewer).toMatchObject({ permissions: ['read'], rateLimit: { perMinute: 100, perHour: 1000 }, apiKeys: [] });
});
