import { newCustomer } from '../../../test/actions/sample-action';
import { createScopedTestDatabase, type ScopedTestDatabase } from '../../../test/setup/test-database';
import { runForCustomer } from '../../persistence/customer-scope';
import { wakeSolanaWallets } from './solana-watches';

let test: ScopedTestDatabase;
beforeAll(async () => {
  test = await createScopedTestDatabase();
});
afterAll(() => test.drop());

const [own, foreign] = [newCustomer(), newCustomer()];

it('a request for the movements of a wallet makes its next reading due, and not that of a wallet of another customer', async () => {
  const { database } = test;
  const later = new Date(Date.now() + 200_000);
  for (const [customerId, address] of [
    [own, 'own'],
    [foreign, 'foreign'],
  ] as const) {
    const data = { chainId: 1, address, readAt: new Date(), nextAt: later, quietReadings: 36 };
    const { id: walletId } = await database.solanaWallet.create({ data });
    await database.solanaWatch.create({ data: { customerId, walletId } });
  }
  const requested = { customerId: own, addresses: ['own', 'foreign'] };
  await runForCustomer(own, () => wakeSolanaWallets(test.scoped.database, requested));
  const wallets = await database.solanaWallet.findMany({ orderBy: { id: 'asc' } });
  expect(wallets.map(({ address, quietReadings }) => [address, quietReadings])).toEqual([
    ['own', 0],
    ['foreign', 36],
  ]);
  expect(wallets[0]!.nextAt.getTime()).toBeLessThan(later.getTime());
  expect(wallets[1]!.nextAt).toEqual(later);
});
