import type { ScriptedChain } from '../../test/actions/scripted-chain';
import { openScriptedLedger, type ScriptedLedger, transfers, wallet } from '../../test/ledger/scripted-ledger';

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
