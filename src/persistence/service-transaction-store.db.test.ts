import { randomUUID } from 'node:crypto';
import { newCustomer } from '../../test/actions/sample-action';
import { serviceTransactionStore } from '../../test/setup/gas';
import { createScopedTestDatabase, type ScopedTestDatabase } from '../../test/setup/test-database';
import { runForCustomer } from './customer-scope';

let test: ScopedTestDatabase;
beforeAll(async () => {
  test = await createScopedTestDatabase();
});
afterAll(() => test.drop());

const account = { chainId: 1, sender: '0x00000000000000000000000000000000000000a1' };
const [own, foreign] = [newCustomer(), newCustomer()];

it('a request of a customer does not get the nonce of a pending transaction of another customer', async () => {
  const store = serviceTransactionStore(test.scoped.database);
  const allocate = (customerId: typeof own) =>
    runForCustomer(customerId, () =>
      store.allocate(
        {
          ...account,
          customerId,
          actionId: randomUUID(),
          purpose: 'test',
          from: 7n,
          attemptsRead: 0,
          gas: { kind: 'completion', cost: { wei: 1n, microUsd: 1n } },
        },
        (nonce) => Promise.resolve({ txHash: `0x${String(nonce)}`, raw: `0x${String(nonce)}` }),
      ),
    );
  expect((await allocate(foreign))?.nonce).toBe(7n);
  expect((await allocate(own))?.nonce).toBe(8n);
  const pending = await runForCustomer(own, () => store.from(account, 7n));
  expect(pending.map(({ nonce }) => nonce)).toEqual([7n, 8n]);
});
