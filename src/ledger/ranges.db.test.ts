import { pad, toHex } from 'viem';
import type { ScriptedChain } from '../../test/actions/scripted-chain';
import {
  CHAIN_ID,
  openScriptedLedger,
  type ScriptedLedger,
  TOKEN,
  transfers,
  wallet,
} from '../../test/ledger/scripted-ledger';
import { sleep } from '../async/sleep';
import type { BlockTransfers } from './read-transfers';
import { recordBlockMovements } from './record-block-movements';

const [ALICE, EVE] = [wallet(1), wallet(2)];

let ledger: ScriptedLedger;
let node: ScriptedChain;
beforeEach(async () => {
  ledger = await openScriptedLedger();
  ({ node } = ledger);
  node.finality = 0;
  await ledger.watch(ALICE);
  await ledger.pass();
});
afterEach(() => ledger.stop());

const pay = (amount: bigint) => transfers({ from: EVE, to: ALICE, amount });
const mine = (blocks: number, perBlock = 1): void => {
  for (let count = 0; count < blocks; count += 1) node.mine(...Array.from({ length: perBlock }, () => pay(1n)));
};
const ranges = () =>
  node.calls
    .filter(({ method, params: [filter] }) => method === 'eth_getLogs' && 'fromBlock' in (filter as object))
    .map(({ params: [filter] }) => {
      const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string };
      return Number(toBlock) - Number(fromBlock) + 1;
    });

const hashOf = (number: bigint): string => pad(toHex(number), { size: 32 });

/** A block with transfers between wallets that are not watched. */
const blockOf = (number: bigint, count: number): BlockTransfers => ({
  header: {
    number,
    hash: hashOf(number),
    parentHash: hashOf(number - 1n),
    time: new Date(),
    evidence: { hasLogs: true, mayHaveTopic: true },
    coins: [],
    batches: new Set(),
  },
  transfers: Array.from({ length: count }, (_, logIndex) => ({
    blockHash: hashOf(number),
    txHash: hashOf(number * 100_000n + BigInt(logIndex)),
    logIndex,
    token: TOKEN,
    from: EVE,
    to: wallet(100 + logIndex),
    amount: 1n,
  })),
  operations: [],
  batchStarts: [],
});

describe('final blocks', () => {
  it('are read in ranges, with little more than one call a block', async () => {
    mine(300);
    await ledger.catchUp();
    expect(await ledger.entries()).toHaveLength(300);
    expect(node.calls.length).toBeLessThan(300 * 1.2);
    expect(Math.max(...ranges())).toBeGreaterThanOrEqual(100);
  });

  it('are read in smaller ranges where the node has a limit, as its message suggests', async () => {
    mine(120);
    node.intercept = ({ method, params: [filter] }) => {
      if (method !== 'eth_getLogs' || !('fromBlock' in (filter as object))) return undefined;
      const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string };
      const isTooWide = Number(toBlock) - Number(fromBlock) >= 10;
      return isTooWide ? { error: { code: -32005, message: 'limited to a 10 block range' } } : undefined;
    };
    await ledger.catchUp();
    expect(await ledger.entries()).toHaveLength(120);
    expect(ranges()[1]).toBe(10);
  });

  it('of a dense range are never held in memory together: a response has a bound', async () => {
    mine(40, 30); // 1,200 logs, ten times the bound of a response
    await ledger.catchUp();
    expect(await ledger.entries()).toHaveLength(1200);
    expect(await ledger.quarantined()).toBe(0);
  });

  it('are read block by block when the node returns none of the logs of a range', async () => {
    mine(20);
    node.intercept = ({ method, params: [filter] }) =>
      method === 'eth_getLogs' && 'fromBlock' in (filter as object) ? { result: [] } : undefined;
    for (let count = 0; count < 12; count += 1) await ledger.pass().catch(() => undefined);
    expect(await ledger.entries()).toHaveLength(20);
  });

  it('are read in smaller ranges after a node did not respond to a large one', async () => {
    mine(64);
    node.intercept = ({ method, params: [filter] }) => {
      if (method !== 'eth_getLogs' || !('fromBlock' in (filter as object))) return undefined;
      const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string };
      return Number(toBlock) - Number(fromBlock) > 20 ? 'broken' : undefined;
    };
    for (let count = 0; count < 8; count += 1) await ledger.pass().catch(() => undefined);
    expect(await ledger.entries()).toHaveLength(64);
  });

  it('keep no more hashes than a reorganisation may need', async () => {
    mine(600);
    await ledger.catchUp();
    expect(await ledger.test.database.indexedBlock.count()).toBeLessThanOrEqual(257);
  });
});

describe('a backlog', () => {
  /** Transactions that recorded the blocks which are kept. */
  const commits = async (): Promise<number> => {
    const query = `SELECT count(DISTINCT xmin::text)::int AS count FROM "IndexedBlock" WHERE number > 0`;
    const { rows } = await ledger.test.pool.query<{ count: number }>(query);
    return rows[0]!.count;
  };
  /** Loses the lease while the first range is read. */
  const loseLease = () =>
    ledger.test.database.chainTracker.updateMany({ data: { leaseUntil: new Date(0) } }).then(() => undefined);

  it('is recorded in few transactions, each with many blocks', async () => {
    mine(200);
    await ledger.catchUp();
    expect(await ledger.entries()).toHaveLength(200);
    expect(await commits()).toBeLessThanOrEqual(5);
  });

  it('with many transfers is recorded in transactions of bounded size', async () => {
    const { number, hash } = await ledger.cursor();
    const blocks = [1n, 2n, 3n].map((height) => blockOf(height, 6000));
    const place = { chainId: CHAIN_ID, parent: { number, hash }, headNumber: 3n, finalNumber: 3n };
    await recordBlockMovements(ledger.deps, { ...place, blocks });
    expect(await ledger.cursor()).toMatchObject({ number: 3n, hash: hashOf(3n) });
    expect(await commits()).toBe(3);
  });

  it('is read on while the blocks before are recorded', async () => {
    mine(60);
    const client = await ledger.test.pool.connect();
    await client.query('BEGIN; LOCK TABLE "IndexedBlock" IN EXCLUSIVE MODE');
    const pass = ledger.pass();
    const deadline = Date.now() + 90_000;
    while (ranges().length < 2 && Date.now() < deadline) await sleep(5);
    expect([ranges().length, (await ledger.cursor()).number]).toEqual([2, 0n]);
    await client.query('COMMIT');
    client.release();
    await pass;
    expect(await ledger.entries()).toHaveLength(60);
  });

  it('keeps what was recorded when the blocks behind cannot be read', async () => {
    mine(60);
    node.intercept = ({ method }) => (method === 'eth_getLogs' && ranges().length > 1 ? 'broken' : undefined);
    await expect(ledger.pass()).rejects.toThrow();
    expect((await ledger.cursor()).number).toBe(25n);
    node.intercept = () => undefined;
    await ledger.catchUp();
    expect(await ledger.entries()).toHaveLength(60);
  });

  it('records nothing that was read ahead when the blocks before were not recorded', async () => {
    mine(60);
    node.intercept = ({ method }) => {
      if (method !== 'eth_getLogs') return undefined;
      return ranges().length === 1 ? loseLease() : 'broken';
    };
    await expect(ledger.pass()).rejects.toThrow('lease');
    expect([await ledger.entries(), (await ledger.cursor()).number]).toEqual([[], 0n]);
  });
});

test('a node that shows headers alone makes the ledger wait, instead of filling the quarantine', async () => {
  node.finality = undefined;
  const items = Array.from({ length: 50 }, (_, index) => ({
    item: `0x${String(index)}`,
    blockNumber: 0n,
    blockHash: '0x0',
  }));
  await ledger.test.database.quarantine.createMany({
    data: items.map((item) => ({
      ...item,
      chainId: 31337,
      stage: 'ledger',
      error: 'no',
      nextAt: new Date(Date.now() + 1e6),
    })),
  });
  mine(2);
  node.intercept = ({ method }) =>
    ['eth_getLogs', 'eth_getTransactionReceipt'].includes(method)
      ? { error: { code: -32000, message: 'no' } }
      : undefined;
  for (let count = 0; count < 3; count += 1) await expect(ledger.pass()).rejects.toThrow();
  expect(await ledger.quarantined()).toBe(50);
  expect((await ledger.cursor()).number).toBe(0n);
  node.intercept = () => undefined;
  await ledger.catchUp();
  expect((await ledger.cursor()).number).toBe(2n);
});
