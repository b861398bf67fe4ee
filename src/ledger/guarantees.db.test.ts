import {
  CHAIN_ID,
  openScriptedLedger,
  type ScriptedLedger,
  transfers,
  wallet,
} from '../../test/ledger/scripted-ledger';
import { newCustomer } from '../../test/actions/sample-action';
import { createFinalityReader } from './finality';
import { listCoverage } from './coverage';
import { listMovements } from './list-movements';
import { MAX_ENTRIES_PER_DAY } from './record-movements';
import { cancelReplay, requestReplay, restartLedger } from './request-replay';
import { requestWatches, watchWallets } from './watch-wallets';

const [ALICE, EVE] = [wallet(1), wallet(3)];
const { signal } = new AbortController();
const RATE_LIMIT = { error: { code: -32005, message: 'rate limit reached' } };

let ledger: ScriptedLedger;
beforeEach(async () => {
  ledger = await openScriptedLedger();
  await ledger.watch(ALICE);
  await ledger.pass();
});
afterEach(() => ledger.stop());

const pay = (amount: bigint) => transfers({ from: EVE, to: ALICE, amount });
const mine = (blocks: number): void => {
  for (let count = 1; count <= blocks; count += 1) ledger.node.mine(pay(BigInt(count)));
};

it('blocks with a response that is too large never stop a chain, however many there are', async () => {
  const { node, test } = ledger;
  mine(1);
  await ledger.catchUp();
  const items = Array.from({ length: 60 }, (_, index) => ({ item: `0x${index}`, blockNumber: BigInt(1 - index) }));
  await test.database.quarantine.createMany({
    data: items.map((item) => ({
      ...item,
      chainId: CHAIN_ID,
      stage: 'ledger',
      blockHash: '0x0',
      error: 'no',
      nextAt: new Date(Date.now() + 1e6),
    })),
  });
  const { logs: [log] = [] } = pay(1n);
  node.mine({ from: EVE, to: ALICE, logs: [{ ...log!, data: `0x${'00'.repeat(120_000)}` }] });
  mine(1);
  await ledger.catchUp();
  expect((await ledger.cursor()).number).toBe(3n);
});

it('a node that limits the number of requests is read with fewer headers at a time', async () => {
  const { node } = ledger;
  node.finality = 0;
  mine(60);
  let burst = 0;
  node.intercept = ({ method, params: [block] }) => {
    if (method !== 'eth_getBlockByNumber' || typeof block !== 'string' || !block.startsWith('0x')) return undefined;
    burst += 1;
    setTimeout(() => (burst = 0), 5);
    return burst > 8 ? RATE_LIMIT : undefined;
  };
  for (let count = 0; count < 30; count += 1) await ledger.pass().catch(() => undefined);
  expect((await ledger.cursor()).number).toBe(60n);
});

it('finality never falls back to confirmations because the node does not respond', async () => {
  const { node, deps } = ledger;
  const client = deps.rpc.client(CHAIN_ID);
  mine(100);
  const head = { number: 100n, hash: node.hashes()[100]! };
  node.intercept = ({ params: [block] }) => (block === 'finalized' ? RATE_LIMIT : undefined);
  await expect(createFinalityReader(deps, { chainId: CHAIN_ID, client }).read(head)).rejects.toThrow();
  node.intercept = () => undefined;
  expect(await createFinalityReader(deps, { chainId: CHAIN_ID, client }).read(head)).toBe(50n);
});

it('a final block in front of the recorded ones makes none of them final: they may be of a fork', async () => {
  const { node, test } = ledger;
  mine(4);
  await ledger.catchUp();
  node.removeBlocks(2);
  mine(10);
  node.finality = 1;
  const lagging = { number: '0x2', hash: node.hashes()[2] };
  node.intercept = ({ params: [block] }) => (block === 'latest' ? { result: lagging } : undefined);
  await test.database.chainTracker.updateMany({ data: { leaseUntil: new Date(0) } });
  const other = ledger.replica();
  await other.pass(signal);
  expect((await ledger.cursor()).finalNumber).toBe(0n);
  node.intercept = () => undefined;
  while ((await other.pass(signal)) === 'behind');
  expect(await ledger.cursor()).toMatchObject({ number: 12n, state: 'reading' });
  expect(await ledger.entries()).toHaveLength(12);
});

it('a restart is refused while blocks are read again; a replay that waits can be withdrawn', async () => {
  const { database } = ledger.test;
  ledger.node.finality = 0;
  mine(5);
  await ledger.catchUp();
  await requestReplay(database, { chainId: CHAIN_ID, from: 2n });
  expect(await cancelReplay(database, CHAIN_ID)).toBe(true);
  expect(await cancelReplay(database, CHAIN_ID)).toBe(false);
  await requestReplay(database, { chainId: CHAIN_ID, from: 2n });
  expect(await restartLedger(database, CHAIN_ID)).toContain('read again');
  await ledger.pass();
  expect(await restartLedger(database, CHAIN_ID)).toContain('read again');
  await ledger.catchUp();
  expect(await restartLedger(database, CHAIN_ID)).toBeUndefined();
  expect(await database.ledgerEntry.count()).toBe(5);
});

it('a replay from behind a fork is refused, with the newest block that is still there', async () => {
  const { node } = ledger;
  mine(4);
  await ledger.catchUp();
  await ledger.test.database.indexCursor.updateMany({ data: { state: 'stopped' } });
  node.removeBlocks(2);
  for (let count = 0; count < 4; count += 1) node.mine(pay(70n));
  await requestReplay(ledger.test.database, { chainId: CHAIN_ID, from: 5n });
  await ledger.pass();
  const { state, reason } = await ledger.test.database.indexCursor.findFirstOrThrow();
  expect([state, reason]).toEqual(['stopped', expect.stringContaining('block 2')]);
});

it('a customer sees nothing from before it watched a wallet that another one watches', async () => {
  const { database, pool } = ledger.test;
  const deps = { ...ledger.deps, pool, isIndexed: () => true };
  mine(3);
  await ledger.catchUp();
  const customerId = newCustomer();
  await database.customerWallet.create({ data: { customerId, address: ALICE } });
  await requestWatches(database, { customerId, addresses: [ALICE] });
  await watchWallets(ledger.deps);
  const query = { customerId, addresses: [ALICE] };
  expect(await listCoverage(deps, query)).toMatchObject([[{ fromBlock: null }]]);
  ledger.node.mine(pay(9n));
  await ledger.catchUp();
  expect(await listCoverage(deps, query)).toMatchObject([[{ fromBlock: 4 }]]);
  const [page] = await listMovements(deps, { ...query, filter: {} });
  expect(page?.nodes.map(({ amount }) => amount)).toEqual([9n]);
  const [own] = await listMovements(deps, { customerId: ledger.customerId, addresses: [ALICE], filter: {} });
  expect(own?.nodes).toHaveLength(4);
});

it('a wallet with too many movements on one day is suspended, and its coverage claims nothing', async () => {
  const { database, pool } = ledger.test;
  mine(1);
  await ledger.catchUp();
  await database.watchedWallet.updateMany({ data: { entriesOfDay: MAX_ENTRIES_PER_DAY } });
  mine(1);
  await ledger.catchUp();
  mine(1);
  await ledger.catchUp();
  expect(await ledger.entries()).toHaveLength(2);
  const coverage = await listCoverage(
    { ...ledger.deps, pool, isIndexed: () => true },
    { customerId: ledger.customerId, addresses: [ALICE] },
  );
  expect(coverage).toMatchObject([[{ status: 'suspended', isComplete: false, toBlock: null }]]);
});

it('earlier movements are not taken as proven behind blocks that were passed over while no wallet was covered', async () => {
  const { test } = ledger;
  const { database } = test;
  mine(1);
  await ledger.catchUp();
  const { id: walletId } = await database.watchedWallet.findFirstOrThrow();
  const own = { walletId, chainId: CHAIN_ID, lowest: 0n, target: 0n, state: 'proven' };
  await database.walletBackfill.create({ data: own });
  await database.customerWallet.deleteMany();
  mine(3);
  await database.chainTracker.deleteMany();
  await ledger.replica().pass(new AbortController().signal);
  expect((await ledger.cursor()).number).toBe(4n);
  expect(await ledger.entries()).toHaveLength(1);
  expect(await database.walletBackfill.count()).toBe(0);
});
