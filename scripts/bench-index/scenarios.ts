import { openScriptedLedger, type ScriptedLedger, transfers, wallet } from '../../test/ledger/scripted-ledger';
import { cpuTime } from '../bench-tracker/cpu-time';

/** What the ledger took to read some blocks. */
export interface MeasuredLedger {
  readonly title: string;
  /** JSON-RPC calls. */
  readonly callsPerBlock: number;
  /** CPU time of this process, which runs the ledger and the node, and of the database; `NaN` where it is unknown. */
  readonly cpuPerBlockMs: number;
  readonly totalMs: number;
  /** Why the result is wrong; `undefined` when it is as expected. */
  readonly problem: string | undefined;
}

const TRANSFERS_PER_BLOCK = 300;
const WATCHED_PER_BLOCK = 3;
const TIP_BLOCKS = 50;

/** A block like those of a busy chain: three of its transfers concern a watched wallet. */
function mine({ node }: ScriptedLedger, block: number): void {
  const sent = Array.from({ length: TRANSFERS_PER_BLOCK }, (_, index) => ({
    from: wallet(1_000_000 + ((7 * block + index) % 5000)),
    to: index < WATCHED_PER_BLOCK ? wallet(index) : wallet(2_000_000 + index),
    amount: 1n,
  }));
  node.mine(...sent.map((transfer) => transfers(transfer)));
}

interface Run {
  readonly title: string;
  readonly wallets: number;
  readonly blocks: number;
  /** Makes the blocks that are there before the ledger reads. */
  readonly prepare?: (ledger: ScriptedLedger) => void;
  readonly read: (ledger: ScriptedLedger) => Promise<void>;
}

async function measure({ title, wallets, blocks, prepare, read }: Run): Promise<MeasuredLedger> {
  const ledger = await openScriptedLedger({ maxResponseBytes: 8_000_000, maxWatchedWallets: 100_000 });
  try {
    ledger.node.finality = 64;
    await watchMany(ledger, wallets);
    await ledger.pass();
    prepare?.(ledger);
    ledger.node.calls.length = 0;
    const [startedAt, usedBefore] = [performance.now(), await cpuTime(ledger.test.pool)];
    await read(ledger);
    const totalMs = performance.now() - startedAt;
    const cpuMs = (await cpuTime(ledger.test.pool)) - usedBefore;
    const [recorded, expected] = [await ledger.test.database.ledgerEntry.count(), blocks * WATCHED_PER_BLOCK];
    const problem = recorded === expected ? undefined : `${String(recorded)} entries instead of ${String(expected)}`;
    const callsPerBlock = ledger.node.calls.length / blocks;
    return { title, callsPerBlock, cpuPerBlockMs: cpuMs / blocks, totalMs, problem };
  } finally {
    await ledger.stop();
  }
}

async function watchMany(ledger: ScriptedLedger, count: number): Promise<void> {
  await ledger.watch(...Array.from({ length: count }, (_, index) => wallet(index)));
  while ((await ledger.test.database.watchRequest.count()) > 0) await ledger.watch();
}

/** Blocks that are read one by one as they come, with this number of watched wallets. */
export const tip = (wallets: number): Promise<MeasuredLedger> =>
  measure({
    title: `at the tip, ${wallets.toLocaleString('en')} wallets`,
    wallets,
    blocks: TIP_BLOCKS,
    async read(ledger) {
      for (let block = 0; block < TIP_BLOCKS; block += 1) {
        mine(ledger, block);
        await ledger.pass();
      }
    },
  });

/** Blocks that were missed while no worker ran. */
export const backlog = (blocks: number): Promise<MeasuredLedger> =>
  measure({
    title: `backlog of ${blocks.toLocaleString('en')} blocks, 1,000 wallets`,
    wallets: 1000,
    blocks,
    prepare(ledger) {
      for (let block = 0; block < blocks; block += 1) mine(ledger, block);
    },
    read: (ledger) => ledger.catchUp(),
  });
