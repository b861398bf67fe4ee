import { setTimeout as wait } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import type { CustomerId } from '../auth/principal';
import type { Database } from '../persistence/database';
import {
  activateCustomer,
  createCustomer,
  type Customer,
  findCustomers,
  listCustomers,
  setRateLimits,
  suspendCustomer,
} from './customers';

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
  await database.customer.deleteMany();
  alice = await createCustomer(database, { name: 'alice' });
  await wait(3); // longer than the resolution of the clock that orders lists
  bob = await createCustomer(database, { name: 'bob', rateLimitPerMinute: 5, rateLimitPerHour: 50 });
});

const validationErrorAt = (...paths: string[]) => ({
  code: 'VALIDATION_ERROR',
  details: { errors: paths.map((path) => expect.objectContaining({ path }) as object) },
});

describe('customers', () => {
  test('start active, with the limits of the deployment unless given their own', () => {
    expect(alice).toMatchObject({ name: 'alice', status: 'ACTIVE', rateLimitPerMinute: null, rateLimitPerHour: null });
    expect(bob).toMatchObject({ rateLimitPerMinute: 5, rateLimitPerHour: 50 });
    expect(alice.id < bob.id).toBe(true);
  });

  test('with invalid fields are refused with all problems at once', async () => {
    await expect(
      createCustomer(database, { name: 'a\u0000b', rateLimitPerMinute: 0, rateLimitPerHour: 1.5 }),
    ).rejects.toMatchObject(validationErrorAt('name', 'rateLimitPerMinute', 'rateLimitPerHour'));
  });

  test('are found by id or by name', async () => {
    await createCustomer(database, { name: 'bob' });
    expect(await findCustomers(database, alice.id)).toEqual([alice]);
    expect(await findCustomers(database, 'alice')).toEqual([alice]);
    expect(await findCustomers(database, 'bob')).toHaveLength(2);
    expect(await findCustomers(database, UNKNOWN_ID)).toEqual([]);
  });

  test('are listed page by page, oldest first', async () => {
    const pages = [await listCustomers(database, { limit: 1 }), await listCustomers(database, { limit: 1, page: 2 })];
    expect(pages.map(({ data }) => data)).toEqual([[alice], [bob]]);
    expect(pages.map(({ pagination }) => pagination)).toEqual([
      { page: 1, limit: 1, total: 2, totalPages: 2, hasMore: true },
      { page: 2, limit: 1, total: 2, totalPages: 2, hasMore: false },
    ]);
    await expect(listCustomers(database, { page: 0, limit: 501 })).rejects.toMatchObject(
      validationErrorAt('page', 'limit'),
    );
  });

  test('can be suspended and activated repeatedly', async () => {
    await suspendCustomer(database, alice.id);
    expect(await suspendCustomer(database, alice.id)).toMatchObject({ status: 'SUSPENDED' });
    await activateCustomer(database, alice.id);
    expect(await activateCustomer(database, alice.id)).toMatchObject({ status: 'ACTIVE' });
    expect(await suspendCustomer(database, UNKNOWN_ID)).toBeUndefined();
  });

  test('keep limits that are not given, and return to the limits of the deployment with null', async () => {
    expect(await setRateLimits(database, bob.id, { rateLimitPerMinute: 7 })).toMatchObject({
      rateLimitPerMinute: 7,
      rateLimitPerHour: 50,
    });
    expect(await setRateLimits(database, bob.id, { rateLimitPerHour: null })).toMatchObject({
      rateLimitPerMinute: 7,
      rateLimitPerHour: null,
    });
    await expect(setRateLimits(database, bob.id, { rateLimitPerHour: -1 })).rejects.toMatchObject(
      validationErrorAt('rateLimitPerHour'),
    );
    expect(await setRateLimits(database, UNKNOWN_ID, { rateLimitPerHour: 1 })).toBeUndefined();
  });
});
