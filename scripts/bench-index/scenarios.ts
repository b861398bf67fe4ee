import { openScriptedLedger, type ScriptedLedger, wallet } from '../../test/ledger/scripted-ledger';
import { cpuTime } from '../bench-tracker/cpu-time';
import { busyBlock, WATCHED_PER_BLOCK } from './busy-block';
import { openNodeThread } from './open-node-thread';

/** What the ledger took to read some blocks. */
export interface MeasuredLedger {
  readonly title: string;
  /** JSON-RPC calls. */
  readonly callsPerBlock: number;
  /** CPU time of this process, which runs the ledger and the node, and of the database; `NaN` where it is unknown. */
  readonly cpuPerBlockMs: number;
  readonly totalMs: number;
  readonly blocksPerSecond: number;
  /** Why the result is wrong; `undefined` when it is as expected. */
  readonly problem: string | undefined;
}

const TIP_BLOCKS = 50;
const OPTIONS = { maxResponseBytes: 8_000_000, maxWatchedWallets: 100_000 };

interface Run {
  readonly title: string;
  readonly blocks: number;
  readonly read: () => Promise<void>;
  /** JSON-RPC calls since the node was started. */
  readonly countCalls: () => Promise<number>;
}

async function measure({ test }: ScriptedLedger, { title, blocks, read, countCalls }: Run): Promise<MeasuredLedger> {
  const callsBefore = await countCalls();
  const [startedAt, usedBefore] = [performance.now(), await cpuTime(test.pool)];
  await read();
  const totalMs = performance.now() - startedAt;
  const cpuMs = (await cpuTime(test.pool)) - usedBefore;
  const calls = (await countCalls()) - callsBefore;
  const [recorded, expected] = [await test.database.ledgerEntry.count(), blocks * WATCHED_PER_BLOCK];
  return {
    title,
    callsPerBlock: calls / blocks,
    cpuPerBlockMs: cpuMs / blocks,
    totalMs,
    blocksPerSecond: blocks / (totalMs / 1000),
    problem: recorded === expected ? undefined : `${String(recorded)} entries instead of ${String(expected)}`,
  };
}

async function watchMany(ledger: ScriptedLedger, count: number): Promise<void> {
  await ledger.watch(...Array.from({ length: count }, (_, index) => wallet(index)));
  while ((await ledger.test.database.watchRequest.count()) > 0) await ledger.watch();
  await ledger.pass();
}

/** Blocks that are read one by one as they come, with this number of watched wallets. */
export async function tip(wallets: number): Promise<MeasuredLedger> {
  const ledger = await openScriptedLedger(OPTIONS);
  try {
    const { node } = ledger;
    node.finality = 64;
    await watchMany(ledger, wallets);
    return await measure(ledger, {
      title: `at the tip, ${wallets.toLocaleString('en')} wallets`,
      blocks: TIP_BLOCKS,
      countCalls: () => Promise.resolve(node.calls.length),
      async read() {
        for (let block = 0; block < TIP_BLOCKS; block += 1) {
          node.mine(...busyBlock(block));
          await ledger.pass();
        }
      },
    });
  } finally {
    await ledger.stop();
  }
}

/** Blocks that were missed while no worker ran. Their node has a thread of its own. */
export async function backlog(blocks: number): Promise<MeasuredLedger> {
  const node = await openNodeThread();
  const ledger = await openScriptedLedger({ ...OPTIONS, rpcUrl: node.rpcUrl });
  try {
    await watchMany(ledger, 1000);
    await node.mine(blocks);
    return await measure(ledger, {
      title: `backlog of ${blocks.toLocaleString('en')} blocks, 1,000 wallets`,
      blocks,
      countCalls: () => node.countCalls(),
      read: () => ledger.catchUp(),
    });
  } finally {
    await Promise.all([ledger.stop(), node.stop()]);
  }
}
