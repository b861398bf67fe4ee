import {
  CHAIN_ID,
  openScriptedLedger,
  type ScriptedLedger,
  transfers,
  wallet,
} from '../../test/ledger/scripted-ledger';
import type { RpcCall, ScriptedChain } from '../../test/actions/scripted-chain';
import { emptyDatabase } from '../../test/setup/test-database';
import { NATIVE_TOKEN, ZERO_ADDRESS } from '../chains/addresses';
import { listCoverage } from './coverage';
import { listMovements } from './list-movements';
import { requestReplay } from './request-replay';
import type { ChainLedger } from './run-ledger-pass';

const [ALICE, BOB, EVE] = [wallet(1), wallet(2), wallet(3)];
const { signal } = new AbortController();

let ledger: ScriptedLedger;
let node: ScriptedChain;
beforeAll(async () => {
  ledger = await openScriptedLedger();
  ({ node } = ledger);
});
afterAll(() => ledger.stop());
beforeEach(async () => {
  await emptyDatabase(ledger.test);
  node.intercept = () => undefined;
  node.finality = undefined;
  await ledger.watch(ALICE);
  own = ledger.replica();
  await own.pass(signal);
  first = node.hashes().length;
});
/** Height of the first block of a test, and the process that reads it. */
let first: number;
let own: ChainLedger;

async function catchUp(): Promise<void> {
  while ((await own.pass(signal)) === 'behind');
}

const coin = (from: string, to: string, value: bigint) => ({ from, to, value });
const entries = async () => (await ledger.entries()).map((entry) => entry.slice(entry.indexOf(' ') + 1));
const receipts = () => node.calls.filter(({ method }) => method === 'eth_getTransactionReceipt').length;
const coverage = () =>
  listCoverage(
    { pool: ledger.test.pool, chains: ledger.deps.chains, isIndexed: () => true },
    { customerId: ledger.customerId, addresses: [ALICE] },
  ).then(([own]) => own![0]!);
const movements = (token: string, after?: string) =>
  listMovements(
    { ...ledger.deps, isIndexed: () => true },
    { customerId: ledger.customerId, addresses: [ALICE], filter: { token, first: 2, after } },
  ).then(([page]) => page!);

describe('native coin', () => {
  it('that watched wallets send or receive is recorded, in order with tokens', async () => {
    node.mine(coin(EVE, ALICE, 5n), transfers({ from: ALICE, to: BOB, amount: 1n }), coin(ALICE, BOB, 7n));
    node.mine(coin(EVE, BOB, 9n), coin(ALICE, ALICE, 2n));
    await catchUp();
    expect(await entries()).toEqual([
      `transferIn ${EVE} 5`,
      `transferOut ${BOB} 7`,
      `transferOut ${BOB} 1`,
      `transferOut ${ALICE} 2`,
      `transferIn ${ALICE} 2`,
    ]);
  });

  it('of a transaction that reverted is not recorded', async () => {
    node.mine({ ...coin(EVE, ALICE, 5n), reverted: true });
    await catchUp();
    expect(await entries()).toEqual([]);
    expect((await coverage()).incompleteBlocks).toBe(0);
  });

  it('takes no call for blocks whose coin concerns no watched wallet, however much there is', async () => {
    node.mine(...Array.from({ length: 50 }, () => coin(EVE, BOB, 1n)));
    node.calls.length = 0;
    await own.pass(signal);
    expect([receipts(), node.calls.length <= 5]).toEqual([0, true]);
  });

  it('is recorded in a backlog of final blocks as well', async () => {
    node.finality = 0;
    for (let count = 1; count <= 60; count += 1) node.mine(coin(EVE, ALICE, BigInt(count)));
    await catchUp();
    expect(await entries()).toHaveLength(60);
  });

  it('of replaced blocks is removed', async () => {
    node.mine(coin(EVE, ALICE, 5n));
    await catchUp();
    node.removeBlocks(1);
    node.mine();
    node.mine(coin(EVE, ALICE, 6n));
    await catchUp();
    expect(await entries()).toEqual([`transferIn ${EVE} 6`]);
    expect((await coverage()).coinFromBlock).toBe(first);
  });

  it('is covered only behind the blocks that a worker of an earlier release recorded without it', async () => {
    node.mine(coin(EVE, ALICE, 5n));
    await catchUp();
    const { hash: coinHash } = await ledger.cursor();
    node.mine(coin(EVE, ALICE, 6n));
    await catchUp();
    const { database } = ledger.test;
    await database.ledgerEntry.deleteMany({ where: { blockNumber: BigInt(first) + 1n } });
    await database.indexCursor.updateMany({ data: { coinHash } });
    expect((await coverage()).coinFromBlock).toBeNull();
    node.mine(coin(EVE, ALICE, 7n));
    await catchUp();
    expect(await coverage()).toMatchObject({ fromBlock: first, coinFromBlock: first + 2 });
    await requestReplay(database, { chainId: CHAIN_ID, from: BigInt(first) });
    for (let count = 0; count < 3; count += 1) await own.pass(signal);
    expect((await coverage()).coinFromBlock).toBe(first);
    expect(await entries()).toHaveLength(3);
  });

  it('is recorded block by block from a node that limits the rate of receipts: every pass goes on behind the last one', async () => {
    for (let count = 1; count <= 6; count += 1) node.mine(coin(EVE, ALICE, BigInt(count)));
    let left = 0;
    node.intercept = ({ method }) => {
      if (method !== 'eth_getTransactionReceipt') return undefined;
      left -= 1;
      return left < 0 ? { error: { code: 429, message: 'too many requests' } } : undefined;
    };
    const found: number[] = [];
    for (let pass = 0; pass < 3; pass += 1) {
      left = 2;
      await own.pass(signal).catch(() => undefined);
      found.push((await entries()).length);
    }
    expect(found).toEqual([2, 4, 6]);
    expect((await coverage()).incompleteBlocks).toBe(0);
  });

  it('of a block that is too large for one response is read in parts', async () => {
    node.mine(...Array.from({ length: 400 }, () => coin(EVE, BOB, 1n)), coin(EVE, ALICE, 5n));
    await catchUp();
    expect(await entries()).toEqual([`transferIn ${EVE} 5`]);
    expect(await ledger.quarantined()).toBe(0);
  });

  it('without a receipt sets its block aside: later blocks are recorded, and it is completed', async () => {
    const [lost] = node.mine(coin(EVE, ALICE, 5n), transfers({ from: EVE, to: ALICE, amount: 1n }));
    node.mine(coin(EVE, ALICE, 6n));
    const isLost = ({ method, params }: RpcCall) => method === 'eth_getTransactionReceipt' && params[0] === lost;
    node.intercept = (call) => (isLost(call) ? { result: null } : undefined);
    await catchUp();
    expect(await entries()).toEqual([`transferIn ${EVE} 1`, `transferIn ${EVE} 6`]);
    expect((await coverage()).incompleteBlocks).toBe(1);
    node.intercept = () => undefined;
    await ledger.test.database.quarantine.updateMany({ data: { nextAt: new Date(0) } });
    await own.pass(signal);
    expect(await entries()).toEqual([`transferIn ${EVE} 5`, `transferIn ${EVE} 1`, `transferIn ${EVE} 6`]);
    expect((await coverage()).incompleteBlocks).toBe(0);
  });

  it('of a wallet that is watched while its block is read is not lost', async () => {
    node.mine(coin(EVE, ALICE, 5n), coin(EVE, BOB, 6n));
    let watching: Promise<void> | undefined;
    node.intercept = ({ method }) => {
      if (method !== 'eth_getTransactionReceipt') return undefined;
      watching ??= ledger.watch(BOB);
      return watching;
    };
    await catchUp();
    expect(await entries()).toEqual([`transferIn ${EVE} 5`, `transferIn ${EVE} 6`]);
  });

  it('is listed with tokens in pages without gaps, and alone by either address', async () => {
    node.mine(...[1n, 2n, 3n].map((value) => coin(EVE, ALICE, value)), transfers({ from: EVE, to: ALICE, amount: 9n }));
    await catchUp();
    const page = await movements(NATIVE_TOKEN);
    const next = await movements(ZERO_ADDRESS, page.pageInfo.endCursor!);
    const found = [...page.nodes, ...next.nodes];
    expect(found.map(({ amount, logIndex, token }) => [amount, logIndex, token])).toEqual(
      [3n, 2n, 1n].map((amount) => [amount, null, NATIVE_TOKEN]),
    );
    expect(next.pageInfo.hasNextPage).toBe(false);
  });

  it('is covered from the first block on that was read with it; a replay adds earlier ones', async () => {
    node.mine(coin(EVE, ALICE, 5n));
    await catchUp();
    const { test } = ledger;
    await test.database.ledgerEntry.deleteMany();
    await test.database.walletCoverage.updateMany({ data: { coinFromBlock: null } });
    await test.database.indexCursor.updateMany({ data: { coinFromBlock: null, coinHash: null } });
    expect(await coverage()).toMatchObject({ fromBlock: first, coinFromBlock: null });
    node.mine();
    await catchUp();
    expect(await coverage()).toMatchObject({ fromBlock: first, coinFromBlock: first + 1 });
    await requestReplay(test.database, { chainId: CHAIN_ID, from: BigInt(first) });
    for (let count = 0; count < 3; count += 1) await own.pass(signal);
    expect(await coverage()).toMatchObject({ fromBlock: first, coinFromBlock: first, isComplete: true });
    expect(await entries()).toEqual([`transferIn ${EVE} 5`]);
  });
});
