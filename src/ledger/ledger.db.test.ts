import {
  openScriptedLedger,
  CHAIN_ID,
  type ScriptedLedger,
  transfers,
  wallet,
} from '../../test/ledger/scripted-ledger';
import type { ScriptedChain } from '../../test/actions/scripted-chain';
import { ledgerStates } from './ledger-states';
import { requestReplay } from './request-replay';

const [ALICE, BOB, EVE] = [wallet(1), wallet(2), wallet(3)];
const { signal } = new AbortController();

let ledger: ScriptedLedger;
let node: ScriptedChain;
beforeEach(async () => {
  ledger = await openScriptedLedger();
  ({ node } = ledger);
});
afterEach(() => ledger.stop());

const pay = (amount: bigint, from = EVE, to = ALICE) => transfers({ from, to, amount });
const stateNow = async () => (await ledgerStates(ledger.test.pool))[0]!;

/** Watches ALICE and starts at the head. */
async function started(): Promise<void> {
  await ledger.watch(ALICE);
  await ledger.pass();
}

describe('the ledger of a chain', () => {
  it('records what watched wallets receive and send, and nothing of others', async () => {
    await started();
    node.mine(pay(5n), pay(7n, BOB, EVE), transfers({ from: ALICE, to: BOB, amount: 3n }));
    node.mine(transfers({ from: ALICE, to: ALICE, amount: 1n }, { from: EVE, to: ALICE, amount: 0n }));
    await ledger.catchUp();
    expect(await ledger.entries()).toEqual([
      `1 transferIn ${EVE} 5`,
      `1 transferOut ${BOB} 3`,
      `2 transferOut ${ALICE} 1`,
      `2 transferIn ${ALICE} 1`,
    ]);
  });

  it('stores the largest amount exactly', async () => {
    await started();
    node.mine(pay(2n ** 256n - 1n));
    await ledger.catchUp();
    expect(await ledger.entries()).toEqual([`1 transferIn ${EVE} ${(2n ** 256n - 1n).toString()}`]);
  });

  it('leaves out NFTs and events of another shape, without setting the block aside', async () => {
    await started();
    const { logs: [log] = [] } = pay(9n);
    const nft = { ...log!, topics: [...log!.topics, log!.topics[1]!], data: '0x' as const };
    node.mine({ from: EVE, to: BOB, logs: [nft, { ...log!, topics: [log!.topics[0]!] }, { ...log!, data: '0x' }] });
    await ledger.catchUp();
    expect(await ledger.entries()).toEqual([]);
    expect(await ledger.quarantined()).toBe(0);
  });

  it('reads no logs while no wallet is watched, and starts at the head when one is', async () => {
    await ledger.pass();
    node.mine(pay(1n));
    await ledger.pass();
    expect(node.calls).toEqual([]);
    await ledger.watch(ALICE);
    await ledger.pass();
    node.mine(pay(2n));
    await ledger.catchUp();
    expect(await ledger.entries()).toEqual([`2 transferIn ${EVE} 2`]);
    expect(await ledger.test.database.walletCoverage.findMany()).toMatchObject([{ fromBlock: 2n }]);
  });

  it('covers a wallet only from the first block that was read while it was watched', async () => {
    await started();
    node.mine(pay(1n, EVE, BOB));
    await ledger.catchUp();
    await ledger.watch(BOB);
    expect(await ledger.test.database.walletCoverage.count({ where: { fromBlock: null } })).toBe(1);
    node.mine(pay(2n, EVE, BOB));
    await ledger.catchUp();
    const { id } = await ledger.test.database.watchedWallet.findUniqueOrThrow({ where: { address: BOB } });
    const coverage = await ledger.test.database.walletCoverage.findFirstOrThrow({ where: { walletId: id } });
    expect(coverage.fromBlock).toBe(2n);
    expect(await ledger.entries()).toEqual([`2 transferIn ${EVE} 2`]);
  });

  it('requests at most five calls a block at the tip', async () => {
    await started();
    for (let count = 0; count < 10; count += 1) {
      node.mine(pay(1n));
      node.calls.length = 0;
      await ledger.pass();
      expect(node.calls.length).toBeLessThanOrEqual(5);
    }
  });
});

describe('a reorganisation', () => {
  it('removes the entries of replaced blocks and records those of the new ones', async () => {
    await started();
    node.mine(pay(1n));
    node.mine(pay(2n));
    node.mine(pay(3n));
    await ledger.catchUp();
    node.removeBlocks(2);
    node.mine(pay(20n));
    node.mine();
    node.mine(pay(40n));
    await ledger.catchUp();
    expect(await ledger.entries()).toEqual(
      [1n, 20n, 40n].map((amount, index) => `${[1, 2, 4][index]!} transferIn ${EVE} ${amount.toString()}`),
    );
    expect((await ledger.cursor()).hash).toBe(node.hashes().at(-1));
    expect(await ledger.test.database.ledgerEntry.count()).toBe(3);
  });

  it('of the same height is noticed by the hash of the head', async () => {
    await started();
    node.mine(pay(1n));
    await ledger.catchUp();
    node.removeBlocks(1);
    node.mine(pay(2n));
    await ledger.catchUp();
    expect(await ledger.entries()).toEqual([`1 transferIn ${EVE} 2`]);
  });

  it('is not what a node that lags behind shows: nothing is deleted', async () => {
    await started();
    node.mine(pay(1n));
    node.mine(pay(2n));
    await ledger.catchUp();
    const [before, cursor] = [await ledger.entries(), await ledger.cursor()];
    node.removeBlocks(1);
    for (let count = 0; count < 8; count += 1) expect(await ledger.pass()).toBe('caughtUp');
    expect(await ledger.entries()).toEqual(before);
    expect(await ledger.cursor()).toMatchObject({ number: cursor.number, hash: cursor.hash, state: 'reading' });
  });

  it('behind a final block stops the ledger, deletes nothing, and is shown with what to do', async () => {
    node.finality = 1;
    await started();
    for (let count = 1n; count <= 5n; count += 1n) node.mine(pay(count));
    await ledger.catchUp();
    await ledger.pass();
    const before = await ledger.entries();
    node.removeBlocks(4);
    for (let count = 1n; count <= 6n; count += 1n) node.mine(pay(count * 10n));
    for (let count = 0; count < 6; count += 1) await ledger.pass();
    expect(await ledger.entries()).toEqual(before);
    expect(await stateNow()).toMatchObject({
      status: 'stopped',
      reason: expect.stringContaining('admin index replay'),
    });
    expect(await requestReplay(ledger.test.database, { chainId: CHAIN_ID, from: 1n })).toBeUndefined();
    await ledger.catchUp();
    expect((await ledger.entries()).map((entry) => entry.split(' ').at(-1))).toEqual([
      '1',
      '10',
      '20',
      '30',
      '40',
      '50',
      '60',
    ]);
    expect((await stateNow()).status).toBe('ok');
  });

  it('of more blocks than are kept stops the ledger instead of guessing', async () => {
    await started();
    node.mine(pay(1n));
    await ledger.catchUp();
    await ledger.test.database.indexedBlock.deleteMany({ where: { number: 0n } });
    node.removeBlocks(1);
    node.mine(pay(2n));
    for (let count = 0; count < 6; count += 1) await ledger.pass();
    expect(await stateNow()).toMatchObject({ status: 'stopped' });
    expect(await ledger.entries()).toEqual([`1 transferIn ${EVE} 1`]);
  });

  it('that was the view of one node alone lets a stopped ledger go on by itself', async () => {
    await started();
    node.mine(pay(1n));
    await ledger.catchUp();
    await ledger.test.database.indexCursor.updateMany({ data: { state: 'stopped', reason: 'a fork' } });
    node.mine(pay(2n));
    await ledger.catchUp();
    expect((await stateNow()).status).toBe('ok');
    expect(await ledger.entries()).toHaveLength(2);
  });
});

describe('a replay', () => {
  it('records the blocks again without a hole, and covers wallets that were watched later', async () => {
    await started();
    for (let count = 1n; count <= 5n; count += 1n) node.mine(pay(count), pay(count, EVE, BOB));
    await ledger.catchUp();
    await ledger.watch(BOB);
    node.mine();
    await ledger.catchUp();
    await ledger.test.database.ledgerEntry.deleteMany({ where: { blockNumber: 3n } });
    expect(await requestReplay(ledger.test.database, { chainId: CHAIN_ID, from: 2n })).toBeUndefined();
    await ledger.catchUp();
    expect(await ledger.entries()).toHaveLength(5 + 4);
    const coverages = await ledger.test.database.walletCoverage.findMany({ orderBy: { walletId: 'asc' } });
    expect(coverages.map(({ fromBlock }) => fromBlock)).toEqual([1n, 2n]);
  });

  it('of blocks behind the next one is refused, because it would leave a hole', async () => {
    await started();
    expect(await requestReplay(ledger.test.database, { chainId: CHAIN_ID, from: 2n })).toContain('at most 1');
    expect(await requestReplay(ledger.test.database, { chainId: 5, from: 1n })).toContain('not recorded');
  });

  it('hides the entries that are not read again yet', async () => {
    await started();
    for (let count = 1n; count <= 3n; count += 1n) node.mine(pay(count));
    await ledger.catchUp();
    await requestReplay(ledger.test.database, { chainId: CHAIN_ID, from: 2n });
    await ledger.pass();
    expect(await ledger.entries()).toEqual([`1 transferIn ${EVE} 1`]);
    await ledger.catchUp();
    expect(await ledger.entries()).toHaveLength(3);
  });
});

describe('the replicas of a chain', () => {
  it('never record at the same time: one has the lease', async () => {
    await started();
    const other = ledger.replica();
    node.mine(pay(1n));
    expect(await other.pass(signal)).toBe('elsewhere');
    await ledger.catchUp();
    expect(await ledger.entries()).toHaveLength(1);
  });

  it('go on where the other one ended, also in the middle of a pass', async () => {
    await started();
    for (let count = 1n; count <= 30n; count += 1n) node.mine(pay(count));
    let logs = 0;
    node.intercept = ({ method }) => (method === 'eth_getLogs' && (logs += 1) > 12 ? 'cut' : undefined);
    await expect(ledger.pass()).rejects.toThrow();
    const { number } = await ledger.cursor();
    expect(number).toBeGreaterThan(0n);
    expect(number).toBeLessThan(30n);
    node.intercept = () => undefined;
    await ledger.test.database.chainTracker.updateMany({ data: { leaseUntil: new Date(0) } });
    const other = ledger.replica();
    while ((await other.pass(signal)) === 'behind');
    expect(await ledger.entries()).toHaveLength(30);
  });

  it('skip nothing that another one has read since they found no wallets', async () => {
    const other = ledger.replica();
    await other.pass(signal);
    await started();
    node.mine(pay(1n));
    await ledger.catchUp();
    node.mine(pay(2n));
    node.mine(pay(3n));
    await ledger.test.database.chainTracker.updateMany({ data: { leaseUntil: new Date(0) } });
    while ((await other.pass(signal)) === 'behind');
    expect(await ledger.entries()).toHaveLength(3);
  });

  it('write nothing after they lost the lease', async () => {
    await started();
    node.mine(pay(1n));
    node.intercept = async ({ method }) => {
      if (method === 'eth_getLogs')
        await ledger.test.database.chainTracker.updateMany({ data: { leaseUntil: new Date(0) } });
      return undefined;
    };
    await expect(ledger.pass()).rejects.toThrow('lease');
    expect(await ledger.entries()).toEqual([]);
    expect((await ledger.cursor()).number).toBe(0n);
  });
});
