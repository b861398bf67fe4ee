import type { CustomerId } from '../auth/principal';
import { newCustomer } from '../../test/actions/sample-action';
import { createTestDatabase, emptyDatabase, type TestDatabase } from '../../test/setup/test-database';
import { wallet } from '../../test/ledger/scripted-ledger';
import { forgetWallets } from './forget-wallets';
import { requestWatches, watchWallets } from './watch-wallets';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() => emptyDatabase(test));

const run = (maxWatchedWallets = 10) => watchWallets({ database: test.database, watch: { maxWatchedWallets } });
async function add(customerId: CustomerId, ...numbers: readonly number[]): Promise<void> {
  const addresses = numbers.map(wallet);
  await test.database.customerWallet.createMany({ data: addresses.map((address) => ({ customerId, address })) });
  await requestWatches(test.database, { customerId, addresses });
}
const watchesOf = (customerId: string) => test.database.walletWatch.count({ where: { customerId } });

describe('the wallets of customers', () => {
  it('are watched once their movements are requested, an address once for all customers', async () => {
    const [one, other] = [newCustomer(), newCustomer()];
    await add(one, 1, 2);
    await add(other, 2);
    await run();
    expect([await watchesOf(one), await watchesOf(other)]).toEqual([2, 1]);
    expect(await test.database.watchedWallet.count()).toBe(2);
    expect(await test.database.watchRequest.count()).toBe(0);
    expect(await run()).toEqual({ watched: 0, refused: 0 });
  });

  it('are watched up to the limit of their customer, and never beyond it, also by concurrent runs', async () => {
    const [greedy, modest] = [newCustomer(), newCustomer()];
    await add(greedy, ...Array.from({ length: 30 }, (_, index) => index));
    await add(modest, 100);
    await Promise.all([run(), run(), run()]);
    expect([await watchesOf(greedy), await watchesOf(modest)]).toEqual([10, 1]);
    expect(await test.database.watchRequest.count({ where: { refusedAt: { not: null } } })).toBe(20);
    expect(await run()).toEqual({ watched: 0, refused: 0 });
  });

  it('are watched later when the customer gets a limit of its own', async () => {
    const customerId = newCustomer();
    await test.database.customer.create({ data: { id: customerId, name: 'Acme' } });
    await add(customerId, 1, 2, 3);
    await run(1);
    expect(await watchesOf(customerId)).toBe(1);
    await test.database.customer.update({ where: { id: customerId }, data: { limits: { watchedWallets: 5 } } });
    await test.database.watchRequest.updateMany({ data: { nextAt: new Date(0) } });
    await run(1);
    expect(await watchesOf(customerId)).toBe(3);
  });

  it('on Solana count for the same limit, and are watched where a Solana chain is recorded', async () => {
    const customerId = newCustomer();
    const addresses = ['So11111111111111111111111111111111111111112', 'Vote111111111111111111111111111111111111111'];
    await test.database.customerWallet.createMany({ data: addresses.map((address) => ({ customerId, address })) });
    await add(customerId, 1);
    await requestWatches(test.database, { customerId, addresses: [...addresses, wallet(5)] });
    const watch = { maxWatchedWallets: 2 };
    expect(await watchWallets({ database: test.database, watch, solanaChainIds: [101] })).toEqual({
      watched: 2,
      refused: 1,
    });
    const counts = [test.database.walletWatch.count(), test.database.solanaWatch.count()];
    expect((await Promise.all(counts)).reduce((sum, count) => sum + count)).toBe(2);
    await test.database.watchRequest.updateMany({ data: { nextAt: new Date(0) } });
    await watchWallets({ database: test.database, watch: { maxWatchedWallets: 3 }, solanaChainIds: [] });
    expect(await test.database.solanaWatch.count()).toBeLessThanOrEqual(2);
    const stored = await test.database.watchedWallet.findMany();
    expect(stored.map(({ address }) => address)).toEqual([wallet(1)].slice(0, stored.length));
  });

  it('are forgotten with their movements when their last customer loses them', async () => {
    const [one, other] = [newCustomer(), newCustomer()];
    await add(one, 1);
    await add(other, 1);
    await run();
    const { id } = await test.database.watchedWallet.findFirstOrThrow();
    const hash = new Uint8Array(32);
    const place = { chainId: 1n, txHash: hash, blockHash: hash, logIndex: 0, part: 1, blockNumber: 1n };
    const moved = { token: wallet(9), kind: 'transferIn', amount: 1, counterparty: wallet(8), blockTime: new Date() };
    await test.database.ledgerEntry.create({ data: { ...place, ...moved, walletId: id } });
    await test.database.customerWallet.deleteMany({ where: { customerId: one } });
    expect([await watchesOf(one), await test.database.ledgerEntry.count()]).toEqual([0, 1]);
    expect(await forgetWallets(test)).toBe(0);
    await test.database.customerWallet.deleteMany({ where: { customerId: other } });
    expect(await test.database.ledgerEntry.count()).toBe(1); // not in the transaction that removes the wallet
    while ((await forgetWallets(test)) > 0);
    expect(await test.database.watchedWallet.count()).toBe(0);
    expect(await test.database.ledgerEntry.count()).toBe(0);
  });

  it('lose the proof of their earlier movements before the first of these is deleted: watched again, they are read again', async () => {
    const customerId = newCustomer();
    await add(customerId, 1);
    await run();
    const { id } = await test.database.watchedWallet.findFirstOrThrow();
    await test.database.walletBackfill.create({
      data: { walletId: id, chainId: 1n, lowest: 0n, target: 0n, state: 'proven' },
    });
    await test.pool.query(
      `INSERT INTO "LedgerEntry" ("chainId", "txHash", "logIndex", part, "blockNumber", "blockHash", "blockTime", "walletId",
                                  token, kind, amount, counterparty)
       SELECT 1, '\\x00', number, 1, number, '\\x00', now(), $1, $2, 'transferIn', 1, $3
         FROM generate_series(1, 2100) AS number`,
      [id, wallet(9), wallet(8)],
    );
    await test.database.customerWallet.deleteMany({ where: { customerId } });
    expect(await forgetWallets(test)).toBe(2000);
    await add(customerId, 1);
    await run();
    expect(await forgetWallets(test)).toBe(0);
    expect(await test.database.watchedWallet.count({ where: { id } })).toBe(1);
    expect(await test.database.walletBackfill.count()).toBe(0);
  });
});
