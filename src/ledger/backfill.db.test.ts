import { type Hex, numberToHex } from 'viem';
import {
  CHAIN_ID,
  openScriptedLedger,
  type ScriptedLedger,
  TOKEN,
  transfers,
  wallet,
} from '../../test/ledger/scripted-ledger';
import type { RpcCall, ScriptedChain } from '../../test/actions/scripted-chain';
import { newCustomer } from '../../test/actions/sample-action';
import { someChain } from '../../test/actions/sample-transfer';
import { emptyDatabase } from '../../test/setup/test-database';
import { createChainTable } from '../chains/chain-table';
import { listCoverage } from './coverage';
import type { MovementCoverage } from './movement-coverage';
import { discardItem } from './discard-item';
import { ledgerStates } from './ledger-states';
import { listMovements } from './list-movements';
import { restartLedger } from './request-replay';
import { type Backfiller, createBackfiller } from './run-backfill';
import { type ChainLedger, createChainLedger } from './run-ledger-pass';
import { MAX_BACKFILLED_ENTRIES } from './wallet-backfill';
import { requestWatches, watchWallets } from './watch-wallets';

const [ALICE, BOB, EVE] = [wallet(1), wallet(2), wallet(3)];
const { signal } = new AbortController();
const LISTED = createChainTable([
  someChain(CHAIN_ID, { tokens: [{ address: TOKEN, symbol: 'USDC', name: 'USD Coin', decimals: 6 }] }),
]);
const isLogs = ({ method }: RpcCall): boolean => method === 'eth_getLogs';

/** Decides the response to the logs of a window by the number of its blocks. */
const respondToWindows = (response: (blocks: number) => unknown): void =>
  respond((call) => {
    const { fromBlock, toBlock } = (isLogs(call) ? call.params[0] : {}) as { fromBlock?: string; toBlock?: string };
    return fromBlock === undefined ? undefined : response(Number(toBlock) - Number(fromBlock) + 1);
  });

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
  node.finality = 0;
  if (node.hashes().length > 1) node.removeBlocks(node.hashes().length - 1);
  balance = () => 0n;
});

const pay = (amount: bigint, from = EVE, to = ALICE) => transfers({ from, to, amount });
/** The balance of the token that the node states for a wallet at a block. */
let balance: (owner: string, block: number) => bigint;

/** A node with balances, which does other things as well. */
function respond(other: (call: RpcCall) => unknown = () => undefined): void {
  node.intercept = (call) => {
    const given = other(call);
    if (given !== undefined || call.method !== 'eth_call') return given;
    const [{ data }, block] = call.params as [{ data: Hex }, Hex | { blockHash: Hex }];
    const height = typeof block === 'string' ? Number(block) : node.hashes().indexOf(block.blockHash);
    return { result: numberToHex(balance(`0x${data.slice(-40)}`, height), { size: 32 }) };
  };
}

interface Opened {
  readonly own: ChainLedger;
  readonly backfiller: Backfiller;
}

/** Watches wallets at the head, and reads the blocks before. */
async function watched({ backfillBlocks = 1000, addresses = [ALICE], chains = LISTED } = {}): Promise<Opened> {
  await ledger.watch(...addresses);
  const deps = { ...ledger.deps, chains, backfillBlocks };
  const own = createChainLedger({ ...deps, backfillBlocks: 0 }, CHAIN_ID);
  await own.pass(signal);
  node.mine();
  await own.pass(signal);
  const client = deps.rpc.client(CHAIN_ID);
  const pace = { intervalMs: 0, searchMs: 0, readingMs: 15_000 };
  return { own, backfiller: createBackfiller(deps, { chainId: CHAIN_ID, client }, pace) };
}
async function walk({ backfiller }: Opened, steps = 4): Promise<void> {
  for (let step = 0; step < steps; step += 1) await backfiller.step(signal);
}
const coverage = async (customerId = ledger.customerId): Promise<MovementCoverage> => {
  const deps = { pool: ledger.test.pool, chains: ledger.deps.chains, isIndexed: () => true };
  const [own] = await listCoverage(deps, { customerId, addresses: [ALICE] });
  return own![0]!;
};
const amounts = async (customerId = ledger.customerId) => {
  const request = { customerId, addresses: [ALICE], filter: { first: 100 } };
  const [page] = await listMovements({ ...ledger.deps, isIndexed: () => true }, request);
  return page!.nodes.map(({ amount, kind }) => (kind === 'transferIn' ? amount : -amount));
};

/** Discards a block that was recorded without its movements. */
async function discard(blockNumber: bigint): Promise<void> {
  const { database } = ledger.test;
  const item = { chainId: CHAIN_ID, stage: 'ledger', item: blockNumber.toString(), blockNumber, error: 'no' };
  await database.ledgerEntry.deleteMany({ where: { blockNumber } });
  await database.quarantine.create({ data: { ...item, nextAt: new Date() } });
  await database.$transaction((tx) => discardItem(tx, item.item));
}

describe('movements from before a wallet was watched', () => {
  it('are added, and proven by the balance', async () => {
    for (const amount of [1n, 2n, 3n]) node.mine(pay(amount), pay(9n, EVE, BOB));
    node.mine(pay(4n, ALICE, EVE), pay(5n, ALICE, ALICE));
    const head = node.hashes().length;
    respond();
    balance = () => 2n;
    await walk(await watched());
    expect(await amounts()).toEqual([5n, -5n, -4n, 3n, 2n, 1n]);
    expect(await coverage()).toMatchObject({ fromBlock: 0, historyFromBlock: 0, history: 'proven', isComplete: true });
    expect((await coverage()).coinFromBlock).toBe(head);
    expect((await ledgerStates(ledger.test.pool))[0]?.backfills).toEqual({ walking: 0, proven: 1, unproven: 0 });
  });

  it('are shown as unproven, and never as complete, when they do not add up', async () => {
    node.mine(pay(7n));
    const head = node.hashes().length;
    respond((call) => (isLogs(call) && 'toBlock' in (call.params[0] as object) ? { result: [] } : undefined));
    balance = () => 7n;
    node.mine(pay(1n));
    const opened = await watched();
    node.mine(pay(2n));
    await opened.own.pass(signal);
    await walk(opened);
    expect(await coverage()).toMatchObject({ fromBlock: head + 1, historyFromBlock: 0, history: 'unproven' });
  });

  it('are unproven when a node returns none of a wallet that holds a listed token, also without later movements', async () => {
    node.mine(pay(7n));
    respond((call) => (isLogs(call) && 'toBlock' in (call.params[0] as object) ? { result: [] } : undefined));
    balance = () => 7n;
    const opened = await watched();
    await walk(opened);
    const { fromBlock, history } = await coverage();
    expect([await amounts(), history, fromBlock! > 1]).toEqual([[], 'unproven', true]);
    expect((await ledger.test.database.walletBackfill.findFirstOrThrow()).reason).toContain(TOKEN);
  });

  it('are unproven on a chain without listed tokens: nothing is compared', async () => {
    node.mine(pay(7n));
    respond();
    await walk(await watched({ chains: createChainTable([someChain(CHAIN_ID)]) }));
    expect((await coverage()).history).toBe('unproven');
  });

  it('are proven by the change of the balance when the wallet held tokens before them', async () => {
    node.mine(pay(100n));
    for (let count = 0; count < 10; count += 1) node.mine();
    node.mine(pay(5n));
    respond();
    balance = (_, block) => (block < 12 ? 100n : 105n);
    await walk(await watched({ backfillBlocks: 5 }));
    expect(await amounts()).toEqual([5n]);
    expect((await coverage()).history).toBe('proven');
  });

  it('are read no further back than configured, and not at all where that is 0', async () => {
    node.mine(pay(1n));
    for (let count = 0; count < 10; count += 1) node.mine();
    respond();
    const opened = await watched({ backfillBlocks: 5 });
    await walk(opened);
    expect([await amounts(), (await coverage()).historyFromBlock]).toEqual([[], 7]);
    await emptyDatabase(ledger.test);
    await walk(await watched({ backfillBlocks: 0 }));
    expect(await coverage()).toMatchObject({ historyFromBlock: null, history: null });
  });

  it('are read in smaller windows from a node that limits ranges or results', async () => {
    for (let count = 0; count < 40; count += 1) node.mine(pay(1n));
    let largest = 0;
    respondToWindows((blocks) => {
      if (blocks > 10) return { error: { code: -32602, message: 'eth_getLogs is limited to a 10 block range' } };
      largest = Math.max(largest, blocks);
      return undefined;
    });
    balance = () => 40n;
    await walk(await watched(), 20);
    expect([(await amounts()).length, largest, (await coverage()).history]).toEqual([40, 10, 'proven']);
  });

  it('are read in smaller windows after a slow one: the newest blocks wait meanwhile', async () => {
    for (let count = 0; count < 1600; count += 1) node.mine();
    const sizes = new Set<number>();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    respondToWindows((blocks) => void clock.mockReturnValue(4000 * sizes.add(blocks).size));
    await walk(await watched({ backfillBlocks: 10_000 }), 2).finally(() => clock.mockRestore());
    expect([...sizes]).toEqual([1000, 500]);
  });

  it('of one wallet wait when its blocks cannot be read; those of others go on', async () => {
    node.mine(pay(1n), pay(2n, EVE, BOB));
    const topic = ALICE.slice(2);
    respond((call) =>
      isLogs(call) && JSON.stringify(call.params).includes(topic)
        ? { error: { code: -32000, message: 'no' } }
        : undefined,
    );
    balance = (owner) => (owner === BOB ? 2n : 1n);
    const opened = await watched({ addresses: [ALICE, BOB] });
    await walk(opened, 6);
    expect((await ledgerStates(ledger.test.pool))[0]?.backfills).toEqual({ walking: 1, proven: 1, unproven: 0 });
    respond();
    await ledger.test.database.walletBackfill.updateMany({ data: { nextAt: new Date(0) } });
    await walk(opened);
    expect(await amounts()).toEqual([1n]);
  });

  it('are not added from a block that the chain does not have', async () => {
    node.mine(pay(1n));
    const { logs: [log] = [] } = pay(4n);
    const place = { blockHash: `0x${'ab'.repeat(32)}`, blockNumber: '0x1', transactionHash: `0x${'11'.repeat(32)}` };
    const opened = await watched();
    respond((call) => (isLogs(call) ? { result: [{ ...log, ...place, logIndex: '0x0', removed: false }] } : undefined));
    await walk(opened);
    expect([await amounts(), (await coverage()).history]).toEqual([[], 'walking']);
  });

  it('are shown to a customer that watches the wallet later, without another reading', async () => {
    node.mine(pay(1n));
    respond();
    balance = () => 1n;
    const opened = await watched();
    await walk(opened);
    const customerId = newCustomer();
    const { database } = ledger.test;
    await database.customerWallet.create({ data: { customerId, address: ALICE } });
    await requestWatches(database, { customerId, addresses: [ALICE] });
    await watchWallets(ledger.deps);
    node.mine();
    await opened.own.pass(signal);
    await walk(opened);
    expect([await amounts(customerId), (await coverage(customerId)).fromBlock]).toEqual([[1n], 0]);
  });

  it.each([[[5]], [[3, 5, 8]], [[8, 5, 3]], [[5, 8, 3]]])('are read again in discarded %j alone', async (order) => {
    for (let amount = 1n; amount <= 9n; amount += 1n) node.mine(pay(amount));
    const windows = new Set<string>();
    respond((call) => {
      if (isLogs(call)) windows.add(JSON.stringify(call.params[0], ['fromBlock', 'toBlock']));
    });
    balance = () => 45n;
    const opened = await watched();
    await walk(opened);
    const { database } = ledger.test;
    await database.walletBackfill.updateMany({ data: { entries: MAX_BACKFILLED_ENTRIES } });
    windows.clear();
    for (const number of order) await discard(BigInt(number));
    await database.indexCursor.updateMany({ data: { finalNumber: 4n } });
    await walk(opened);
    expect(windows.size).toBe(0); // those that are not final wait
    await database.indexCursor.updateMany({ data: { finalNumber: 10n } });
    await walk(opened);
    const range = { fromBlock: numberToHex(Math.min(...order)), toBlock: numberToHex(Math.max(...order)) };
    expect([...windows]).toEqual([JSON.stringify(range)]);
    expect(await amounts()).toEqual([9n, 8n, 7n, 6n, 5n, 4n, 3n, 2n, 1n]);
    expect(await coverage()).toMatchObject({ fromBlock: 0, historyFromBlock: 0, history: 'proven' });
    await restartLedger(database, CHAIN_ID);
    expect(await database.walletBackfill.count()).toBe(0);
  });

  it('wait while blocks of the chain are incomplete or read again, before they are compared with balances', async () => {
    node.mine(pay(1n));
    respond();
    balance = () => 1n;
    const opened = await watched();
    const { database } = ledger.test;
    const [blockNumber, blockHash] = [2n, `0x${'cd'.repeat(32)}`];
    const item = { chainId: CHAIN_ID, stage: 'ledger', item: blockHash, blockNumber, blockHash, error: 'no' };
    await database.quarantine.create({ data: { ...item, nextAt: new Date(Date.now() + 1e6) } });
    await walk(opened);
    expect((await coverage()).history).toBe('walking');
    await database.quarantine.deleteMany();
    await database.indexCursor.updateMany({ data: { replayUntil: 2n } });
    await database.walletBackfill.updateMany({ data: { nextAt: new Date(0) } });
    await walk(opened);
    expect((await coverage()).history).toBe('walking');
    await database.indexCursor.updateMany({ data: { replayUntil: null } });
    await database.walletBackfill.updateMany({ data: { nextAt: new Date(0) } });
    await walk(opened);
    expect((await coverage()).history).toBe('proven');
  });
});

it('the movements of tokens that are not listed prove nothing', async () => {
  node.mine(transfers({ from: EVE, to: ALICE, amount: 5n, token: wallet(90) }));
  respond();
  await walk(await watched());
  const { reason, state } = await ledger.test.database.walletBackfill.findFirstOrThrow();
  expect([state, reason]).toEqual(['proven', 'the balances of 1 tokens that are not listed differ, or take too long']);
});
