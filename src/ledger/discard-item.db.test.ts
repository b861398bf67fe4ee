import { newCustomer } from '../../test/actions/sample-action';
import { wallet } from '../../test/ledger/scripted-ledger';
import { createTestDatabase, emptyDatabase, type TestDatabase } from '../../test/setup/test-database';
import { untilBlocked } from '../../test/setup/until-blocked';
import { discardItem } from './discard-item';

const [CHAIN, HASH] = [1n, `0x${'ab'.repeat(32)}`];

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  await emptyDatabase(test);
  await test.database.quarantine.create({
    data: {
      chainId: CHAIN,
      stage: 'ledger',
      item: HASH,
      blockNumber: 50n,
      blockHash: HASH,
      error: 'no',
      nextAt: new Date(),
    },
  });
});

/** A wallet of a customer that is covered from block 10 on, with earlier movements from block 5 on. */
async function covered(number: number, coinFromBlock: bigint | null): Promise<bigint> {
  const customerId = newCustomer();
  const { id: walletId } = await test.database.watchedWallet.create({ data: { address: wallet(number) } });
  await test.database.customerWallet.create({ data: { customerId, address: wallet(number) } });
  await test.database.walletWatch.create({ data: { customerId, walletId } });
  await test.database.walletCoverage.create({
    data: { customerId, walletId, chainId: CHAIN, fromBlock: 10n, visibleFrom: 10n, coinFromBlock },
  });
  await test.database.walletBackfill.create({ data: { walletId, chainId: CHAIN, lowest: 5n, target: 5n } });
  return walletId;
}
const discard = () => test.database.$transaction((tx) => discardItem(tx, HASH));

describe('a discarded block', () => {
  it('moves the coverage of tokens and of coin behind it', async () => {
    const ids = [await covered(1, 10n), await covered(2, 90n), await covered(3, null)];
    expect(await discard()).toBe(1);
    const rows = await test.database.walletCoverage.findMany({ orderBy: { walletId: 'asc' } });
    expect(rows.map(({ walletId, fromBlock, coinFromBlock }) => [walletId, fromBlock, coinFromBlock])).toEqual([
      [ids[0], 51n, 51n],
      [ids[1], 51n, 90n],
      [ids[2], 51n, 51n],
    ]);
  });

  it('locks earlier movements in the order of wallets, as the worker that shows them to other customers', async () => {
    const [first, second] = [await covered(1, 10n), await covered(2, 10n)];
    const { database } = test;
    await database.walletBackfill.deleteMany({ where: { walletId: first } });
    await database.walletBackfill.create({ data: { walletId: first, chainId: CHAIN, lowest: 5n, target: 5n } });
    let discarded: Promise<number> | undefined;
    await database.$transaction(async (tx) => {
      const lock = (walletId: bigint) => tx.$queryRaw`
        SELECT 1 FROM "WalletBackfill" WHERE "walletId" = ${walletId} FOR SHARE NOWAIT`;
      await lock(first);
      discarded = discard();
      await untilBlocked(test);
      await lock(second);
    });
    expect(await discarded).toBe(1);
  });

  it('locks earlier movements before coverage, as the worker that records them: neither waits for the other', async () => {
    const walletId = await covered(1, 10n);
    let discarded: Promise<number> | undefined;
    await test.database.$transaction(async (tx) => {
      await tx.$executeRaw`UPDATE "WalletBackfill" SET lowest = 5 WHERE "walletId" = ${walletId}`;
      discarded = discard();
      await untilBlocked(test);
      await tx.$executeRaw`SET LOCAL lock_timeout = 1000`;
      expect(await tx.walletCoverage.updateMany({ where: { walletId }, data: { fromBlock: 5n } })).toEqual({
        count: 1,
      });
    });
    expect(await discarded).toBe(1);
  });
});
