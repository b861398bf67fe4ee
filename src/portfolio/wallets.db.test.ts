import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { newCustomer } from '../../test/actions/sample-action';
import type { CustomerId } from '../auth/principal';
import { registerWallet } from './wallets';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const addressOf = (number: number): string => `0x${number.toString(16).padStart(40, '0')}`;
const register = (customerId: CustomerId, number: number) =>
  registerWallet(
    { database: test.database, blockedAddresses: new Set(), maxRegisteredWallets: 3 },
    { customerId, address: addressOf(number) },
  );

describe('wallets that queries register', () => {
  it('are at most as many as the limit of the customer under twenty concurrent requests', async () => {
    const customerId = newCustomer();
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, number) => register(customerId, number)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await test.database.customerWallet.count({ where: { customerId } })).toBe(3);
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    for (const reason of refused) {
      expect(reason).toMatchObject({
        code: 'RATE_LIMIT_EXCEEDED',
        details: { limit: 'registeredWallets', maximum: 3, retryAfter: 3600 },
      });
    }
  });

  it('are still returned at the limit once they are registered, and count for their customer alone', async () => {
    const [customerId, other] = [newCustomer(), newCustomer()];
    const first = await register(customerId, 1);
    await register(customerId, 2);
    await register(customerId, 3);
    await expect(register(customerId, 4)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    expect(await register(customerId, 1)).toEqual(first);
    expect(await register(other, 4)).toMatchObject({ address: addressOf(4) });
  });

  it('are returned at the limit without being stored when a user of the customer has linked them for payments', async () => {
    const [customerId, other] = [newCustomer(), newCustomer()];
    for (const number of [1, 2, 3]) await register(customerId, number);
    const profile = { id: randomUUID(), taxIdIndex: new Uint8Array(1), person: new Uint8Array(1) };
    await test.database.kycProfile.create({ data: { ...profile, customerId } });
    await test.database.kycWallet.create({ data: { customerId, address: addressOf(4), profileId: profile.id } });
    expect(await register(customerId, 4)).toMatchObject({ address: addressOf(4) });
    expect(await test.database.customerWallet.count({ where: { customerId } })).toBe(3);
    // The link of one customer helps no other.
    for (const number of [1, 2, 3]) await register(other, number);
    await expect(register(other, 4)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  });

  it('have the own limit of a customer instead of that of the deployment', async () => {
    const customerId = newCustomer();
    const limits = { registeredWallets: 1 };
    await test.database.customer.create({ data: { id: customerId, name: 'Acme', limits } });
    await register(customerId, 1);
    await expect(register(customerId, 2)).rejects.toMatchObject({ details: { maximum: 1 } });
  });

  it('are one when the same wallet is queried by ten requests at once', async () => {
    const customerId = newCustomer();
    const stored = await Promise.all(Array.from({ length: 10 }, () => register(customerId, 1)));
    expect(new Set(stored.map(({ firstSeenAt }) => firstSeenAt.getTime())).size).toBe(1);
  });
});
