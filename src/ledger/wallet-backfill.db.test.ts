import { randomUUID } from 'node:crypto';
import { createTestDatabase, emptyDatabase, type TestDatabase } from '../../test/setup/test-database';
import { TRANSFERS } from './ledger-deps';
import { ALL_WALLETS, beginBackfills, type SearchPlace } from './wallet-backfill';

const CHAIN_ID = 7;
const HASH = `0x${'11'.repeat(32)}`;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() => emptyDatabase(test));

const depsOf = (backfillBlocks = 100) => ({ database: test.database, backfillBlocks });

/** A chain that is read up to block 1000, and wallets that a customer watches since block 500. Returns their ids. */
async function watched(count: number): Promise<readonly bigint[]> {
  const { database } = test;
  await database.indexCursor.create({
    data: {
      chainId: CHAIN_ID,
      stream: TRANSFERS,
      number: 1000n,
      hash: HASH,
      blockTime: new Date(0),
      finalNumber: 990n,
      headNumber: 1000n,
    },
  });
  const addresses = Array.from({ length: count }, (_, index) => `0x${String(index).padStart(40, '0')}`);
  const wallets = await database.watchedWallet.createManyAndReturn({ data: addresses.map((address) => ({ address })) });
  const ids = wallets.map(({ id }) => id).sort();
  const customerId = randomUUID();
  await database.walletCoverage.createMany({
    data: ids.map((walletId) => ({ customerId, walletId, chainId: CHAIN_ID, fromBlock: 500n, visibleFrom: 500n })),
  });
  return ids;
}

it('the search for wallets that are new looks at a bounded number of them in each run, the newest first', async () => {
  const ids = await watched(5);
  let place: SearchPlace = { ...ALL_WALLETS, count: 2 };
  const begun: (readonly bigint[])[] = [];
  for (let run = 0; run < 3; run += 1) {
    place = await beginBackfills(depsOf(), CHAIN_ID, place);
    begun.push(
      (await test.database.walletBackfill.findMany({ orderBy: { walletId: 'desc' } })).map((row) => row.walletId),
    );
  }
  const newest = ids.toReversed();
  expect(begun).toEqual([newest.slice(0, 2), newest.slice(0, 4), newest]);
  expect(place.below).toBe(ALL_WALLETS.below);
});

it('the coverage of one wallet is found by an index, however many wallets customers watch', async () => {
  const plan = await test.database.$transaction(async (tx) => {
    await tx.$executeRaw`SET LOCAL enable_seqscan = off`;
    return tx.$queryRaw<Record<string, string>[]>`
      EXPLAIN UPDATE "WalletCoverage" SET "visibleFrom" = 1 WHERE "walletId" = 1 AND "chainId" = 1 AND "visibleFrom" > 1`;
  });
  expect(JSON.stringify(plan)).toContain('WalletCoverage_chainId_walletId_idx');
});
