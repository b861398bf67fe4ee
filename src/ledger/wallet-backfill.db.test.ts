import { randomUUID } from 'node:crypto';
import { someChain } from '../../test/actions/sample-transfer';
import { createTestDatabase, emptyDatabase, type TestDatabase } from '../../test/setup/test-database';
import { untilBlocked } from '../../test/setup/until-blocked';
import { holdLease } from '../actions/tracker/chain-lease';
import type { CustomerId } from '../auth/principal';
import { createChainTable } from '../chains/chain-table';
import { listCoverage } from './coverage';
import { discardItem } from './discard-item';
import { TRANSFERS } from './ledger-deps';
import { listMovements } from './list-movements';
import { restartLedger } from './request-replay';
import {
  ALL_WALLETS,
  type BackfillTurn,
  beginBackfills,
  nextBackfill,
  recordWindow,
  requeueBackfill,
  type SearchPlace,
} from './wallet-backfill';

const CHAIN_ID = 7;
const ADDRESS = `0x${'0'.repeat(40)}`;
const HASH = `0x${'11'.repeat(32)}`;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() => emptyDatabase(test));

const replicaId = randomUUID();
const log = { info: () => undefined, warn: () => undefined };
const depsOf = (backfillBlocks = 100) => ({ database: test.database, backfillBlocks, replicaId, log });

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
  const ids = wallets.map(({ id }) => id);
  const customerId = randomUUID();
  await database.walletCoverage.createMany({
    data: ids.map((walletId) => ({ customerId, walletId, chainId: CHAIN_ID, fromBlock: 500n, visibleFrom: 500n })),
  });
  await holdLease(depsOf(), CHAIN_ID);
  return ids;
}

/** Begins to read earlier movements while something else that has begun waits for the coverage of a wallet. */
async function raceWith(change: () => Promise<unknown>): Promise<void> {
  const client = await test.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM "WalletCoverage" FOR UPDATE');
    const changing = change();
    await untilBlocked(test);
    const begun = beginBackfills(depsOf(), CHAIN_ID, ALL_WALLETS);
    await Promise.race([begun, untilBlocked(test, 2)]);
    await client.query('COMMIT');
    await Promise.all([changing, begun]);
  } finally {
    client.release();
  }
}

it('the search for wallets that are new reads a bounded number of them in each run, the newest first', async () => {
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

it('a customer sees no more of a wallet than if no other watched it, and not at once', async () => {
  const [walletId] = await watched(1);
  const { database } = test;
  const own = { walletId: walletId!, chainId: CHAIN_ID, lowest: 100n, target: 100n, state: 'proven' };
  await database.walletBackfill.create({ data: own });
  const customerId = randomUUID() as CustomerId;
  const place = { customerId, walletId: walletId!, chainId: CHAIN_ID };
  await database.walletCoverage.create({ data: { ...place, fromBlock: 50_000n, visibleFrom: 50_000n } });
  await database.indexCursor.updateMany({ data: { number: 60_000n, headNumber: 60_000n } });
  const coverage = async () => {
    const deps = { pool: test.pool, chains: createChainTable([someChain(CHAIN_ID)]), isIndexed: () => true };
    const [[shown] = []] = await listCoverage(deps, { customerId, addresses: [ADDRESS] });
    return [shown?.fromBlock, shown?.historyFromBlock, shown?.history];
  };
  await beginBackfills(depsOf(15_000), CHAIN_ID, ALL_WALLETS);
  expect(await coverage()).toEqual([50_000, 50_000, 'walking']);
  await beginBackfills(depsOf(15_000), CHAIN_ID, ALL_WALLETS);
  expect(await coverage()).toEqual([50_000, 40_000, 'walking']);
  await beginBackfills(depsOf(15_000), CHAIN_ID, ALL_WALLETS);
  expect(await coverage()).toEqual([35_000, 35_000, 'proven']);
  // A window that is read for another customer.
  await database.walletCoverage.updateMany({ where: place, data: { fromBlock: 100n, visibleFrom: 100n } });
  expect(await coverage()).toEqual([35_000, 35_000, 'proven']);
  const entry = { chainId: CHAIN_ID, walletId: walletId!, part: 1, blockHash: Buffer.alloc(32), kind: 'transferIn' };
  await database.walletWatch.create({ data: { customerId, walletId: walletId! } });
  await database.ledgerEntry.createMany({
    data: [34_999n, 35_000n].map((blockNumber, index) => ({
      ...entry,
      blockNumber,
      txHash: Buffer.alloc(32, index),
      logIndex: 0,
      blockTime: new Date(0),
      token: ADDRESS,
      amount: 1,
      counterparty: ADDRESS,
    })),
  });
  const chains = createChainTable([someChain(CHAIN_ID)]);
  const deps = { database, chains, watch: { maxWatchedWallets: 1 }, isIndexed: () => true };
  const [page] = await listMovements(deps, { customerId, addresses: [ADDRESS], filter: {} });
  expect(page!.nodes.map(({ blockNumber }) => blockNumber)).toEqual([35_000]);
});

it('a window that is read for one customer is shown at once to those that saw all before it, later to the others', async () => {
  const [walletId] = await watched(1);
  const { database } = test;
  await database.indexCursor.updateMany({ data: { number: 60_000n, headNumber: 60_000n } });
  await beginBackfills(depsOf(), CHAIN_ID, ALL_WALLETS);
  const customerId = randomUUID();
  const later = { customerId, walletId: walletId!, chainId: CHAIN_ID, earliest: 0n };
  await database.walletCoverage.create({ data: { ...later, fromBlock: 50_000n, visibleFrom: 50_000n } });
  const shown = async () => {
    const rows = await database.walletCoverage.findMany({ orderBy: { fromBlock: 'asc' } });
    return rows.map(({ visibleFrom }) => visibleFrom);
  };
  const own = (await nextBackfill(depsOf(), CHAIN_ID))!;
  await recordWindow(depsOf(), CHAIN_ID, { own, first: 450n, blocks: [], paceAfter: () => own });
  expect(await shown()).toEqual([450n, 50_000n]);
  await beginBackfills(depsOf(), CHAIN_ID, ALL_WALLETS);
  expect(await shown()).toEqual([450n, 40_000n]);
});

it('customers take turns in the reading of earlier movements, however many wallets they have', async () => {
  const ids = await watched(9);
  const { database } = test;
  const customers = [randomUUID(), randomUUID(), randomUUID()].sort();
  const owners = new Map<bigint, string>(ids.map((id, index) => [id, customers[index < 7 ? 0 : index - 6]!]));
  for (const [walletId, customerId] of owners) {
    await database.walletCoverage.updateMany({ where: { walletId }, data: { customerId } });
  }
  await beginBackfills(depsOf(), CHAIN_ID, ALL_WALLETS);
  let last: BackfillTurn | undefined;
  const turns: (string | undefined)[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    last = await nextBackfill(depsOf(), CHAIN_ID, last?.customerId);
    turns.push(owners.get(last!.walletId));
    await requeueBackfill(depsOf(), CHAIN_ID, last!);
  }
  expect(turns).toEqual([...customers, ...customers]);
  await database.walletBackfill.updateMany({ data: { nextAt: new Date(Date.now() + 1e6) } });
  expect(await nextBackfill(depsOf(), CHAIN_ID, customers[1])).toBeUndefined();
});

it('a wallet of several customers is read in the turns of the one with few others, whichever came first', async () => {
  const ids = await watched(8);
  const { database } = test;
  const [one, all] = [randomUUID(), randomUUID()];
  const search = async (): Promise<Readonly<Record<string, readonly bigint[]>>> => {
    await beginBackfills(depsOf(), CHAIN_ID, ALL_WALLETS);
    const rows = await database.walletBackfill.findMany({ orderBy: { walletId: 'asc' } });
    const own = (wanted: string) => rows.flatMap((row) => (row.customerId === wanted ? [row.walletId] : []));
    return { one: own(one), all: own(all) };
  };
  const cover = (customerId: string, wallets: readonly bigint[]) =>
    database.walletCoverage.createMany({
      data: wallets.map((walletId) => ({
        customerId,
        walletId,
        chainId: CHAIN_ID,
        fromBlock: 600n,
        visibleFrom: 600n,
      })),
    });
  expect(await search()).toEqual({ one: [], all: [] });
  await cover(one, [ids[3]!]);
  expect(await search()).toEqual({ one: [ids[3]], all: [] });
  await cover(all, ids);
  const shared = { one: [ids[3]], all: ids.slice(0, 3) };
  expect(await search()).toEqual(shared);
  expect(await search()).toEqual(shared);
});

it('nothing counts as read before a restart of the ledger that happens meanwhile', async () => {
  await watched(1);
  await raceWith(() => restartLedger(test.database, CHAIN_ID));
  expect(await test.database.walletBackfill.count()).toBe(0);
});

it('nothing before a block that is discarded meanwhile counts as complete', async () => {
  const [walletId] = await watched(1);
  const { database } = test;
  const own = { walletId: walletId!, chainId: CHAIN_ID, lowest: 100n, target: 100n, state: 'proven' };
  await database.walletBackfill.create({ data: own });
  const item = { chainId: CHAIN_ID, stage: 'ledger', item: HASH, blockNumber: 700n, blockHash: HASH, error: 'no' };
  await database.quarantine.create({ data: { ...item, nextAt: new Date() } });
  await database.walletCoverage.updateMany({ data: { earliest: 0n } }); // nothing else waits for the coverage
  await raceWith(() => database.$transaction((tx) => discardItem(tx, item.item)));
  expect((await database.walletCoverage.findFirstOrThrow()).fromBlock).toBe(701n);
});

it('while a block is discarded, what was read waits for it without the coverage of any customer', async () => {
  const [walletId] = await watched(1);
  const { database } = test;
  const own = { walletId: walletId!, chainId: CHAIN_ID, lowest: 100n, target: 100n, state: 'proven' };
  await database.walletBackfill.create({ data: own });
  // Another customer, whose limit is stored: it sees more of the wallet.
  const other = { customerId: randomUUID(), walletId: walletId!, chainId: CHAIN_ID, earliest: 0n };
  await database.walletCoverage.create({ data: { ...other, fromBlock: 600n, visibleFrom: 600n } });
  let begun: Promise<SearchPlace> | undefined;
  await database.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM "WalletBackfill" FOR UPDATE`;
    begun = beginBackfills(depsOf(), CHAIN_ID, ALL_WALLETS);
    await untilBlocked(test);
    await tx.$queryRaw`SELECT 1 FROM "WalletCoverage" FOR UPDATE NOWAIT`;
  });
  await begun;
  expect((await database.walletCoverage.findMany({ where: { earliest: null } })).length).toBe(0);
});
