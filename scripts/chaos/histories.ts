import { requestWatches } from '../../src/ledger/watch-wallets';
import { type OpenDatabase, openDatabase } from '../../src/persistence/database';
import { sleep } from '../../src/async/sleep';
import { describeFailure } from '../../src/errors/describe-failure';
import { newCustomer } from '../../test/actions/sample-action';
import { startScriptedChain, type ScriptedChain } from '../../test/actions/scripted-chain';
import { type HistoryPlan, playHistory } from '../../test/ledger/random-history';
import { recordedMovements } from '../../test/ledger/recorded-movements';
import { wallet } from '../../test/ledger/scripted-ledger';
import { ChaosFailure, requireThat } from './chaos-failure';
import { startLedgerProcess } from './ledger-process';
import type { Scenario } from './scenario';

const PLAN: HistoryPlan = {
  seed: 1,
  events: 2000,
  wallets: 200,
  watched: 150,
  reorganisations: 50,
  maxDepth: 40,
  kills: 20,
  blocksPerKill: 100,
};
/** Time for the process between two events unless it is at the head before, and for the rest of the chain in the end. */
const [ADVANCE_MS, LIMIT_MS] = [400, 300_000];
/** With fewer reorganisations of recorded blocks the history proves little: the process reads too slowly. */
const MIN_REWINDS = 10;

async function watchAll({ database }: OpenDatabase): Promise<void> {
  const customerId = newCustomer();
  const addresses = Array.from({ length: PLAN.watched }, (_, index) => wallet(index));
  await database.customer.create({ data: { id: customerId, name: 'histories' } });
  await database.customerWallet.createMany({ data: addresses.map((address) => ({ customerId, address })) });
  await requestWatches(database, { customerId, addresses });
}

/** Waits until a condition holds. @throws ChaosFailure */
async function until(condition: () => Promise<boolean>, problem: string): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  while (!(await condition())) {
    requireThat(Date.now() < deadline, problem);
    await sleep(200);
  }
}

async function isStarted({ database }: OpenDatabase): Promise<boolean> {
  const [wallets, cursors] = await Promise.all([database.walletWatch.count(), database.indexCursor.count()]);
  return wallets === PLAN.watched && cursors > 0;
}

async function isCovered({ database }: OpenDatabase): Promise<boolean> {
  return (await database.walletCoverage.count({ where: { fromBlock: { not: null } } })) === PLAN.watched;
}

const holdsLease = async ({ database }: OpenDatabase, leaseOwner: string): Promise<boolean> =>
  (await database.chainTracker.count({ where: { leaseOwner, leaseUntil: { gt: new Date() } } })) > 0;

/** As if the time of the lease had passed: the next process must not wait for it. */
const endLease = ({ database }: OpenDatabase): Promise<unknown> =>
  database.chainTracker.updateMany({ data: { leaseUntil: new Date(0) } });

/** Lets the process read up to the head, or as far as it comes: a faulty node may hold it back. */
async function advance({ database }: OpenDatabase, node: ScriptedChain): Promise<void> {
  const deadline = Date.now() + ADVANCE_MS;
  while (Date.now() < deadline) {
    if ((await database.indexCursor.findFirst())?.hash === node.hashes().at(-1)) return;
    await sleep(10);
  }
}

async function isAtHead({ database }: OpenDatabase, node: ScriptedChain): Promise<boolean> {
  await database.quarantine.updateMany({ data: { nextAt: new Date(0) } });
  const [cursor, incomplete] = await Promise.all([database.indexCursor.findFirst(), database.quarantine.count()]);
  return cursor?.hash === node.hashes().at(-1) && incomplete === 0;
}

/** Where the ledger is, for the message of a failure. */
async function placeOf({ database }: OpenDatabase, node: ScriptedChain): Promise<string> {
  const [cursor, item] = await Promise.all([database.indexCursor.findFirst(), database.quarantine.findFirst()]);
  const incomplete = item === null ? '' : `, a block is incomplete: ${item.error}`;
  return `block ${String(cursor?.number)} of ${String(node.hashes().length - 1)}, ${cursor?.state ?? 'not started'}${incomplete}`;
}

async function playWithProcesses(opened: OpenDatabase, databaseUrl: string, node: ScriptedChain): Promise<string> {
  let rewinds = 0;
  const start = () =>
    startLedgerProcess({ databaseUrl, rpcUrl: node.rpcUrl }, (message) => {
      if (message.includes('goes back after a reorganisation')) rewinds += 1;
    });
  let own = await start();
  try {
    await until(() => isStarted(opened), 'the ledger does not start');
    // Wallets are covered from the first block on that is recorded while they are watched.
    node.mine();
    await until(() => isCovered(opened), 'the wallets are not covered');
    const startedAt = performance.now();
    const expected = await playHistory(PLAN, {
      node,
      advance: () => advance(opened, node),
      kill: () => own.kill(),
      async restart() {
        await endLease(opened);
        own = await start();
        // The lease of the killed process has to end first: the next kill must interrupt work.
        await until(() => holdsLease(opened, own.replicaId), 'another process does not take over');
      },
    });
    await until(() => isAtHead(opened, node), 'the ledger does not reach the head').catch(async (error: unknown) => {
      throw new ChaosFailure(`${describeFailure(error).message}: ${await placeOf(opened, node)}`);
    });
    const recorded = await recordedMovements(opened.pool);
    const missing = expected.filter((movement) => !recorded.includes(movement));
    const wrong = recorded.filter((movement) => !expected.includes(movement));
    requireThat(
      missing.length + wrong.length === 0 && recorded.length === expected.length,
      `${String(missing.length)} of ${String(expected.length)} movements are missing and ${String(wrong.length)} are wrong, such as ${missing[0] ?? wrong[0] ?? 'a duplicate'}`,
    );
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    requireThat(rewinds >= MIN_REWINDS, `only ${String(rewinds)} reorganisations replaced blocks that were recorded`);
    return `${String(recorded.length)} movements in ${String(node.hashes().length)} blocks equal the chain, after ${seconds} seconds and ${String(rewinds)} rewinds of the ledger`;
  } finally {
    await own.kill();
  }
}

export const HISTORIES: readonly Scenario[] = [
  {
    name: `${String(PLAN.events)} random transfers are recorded exactly, through reorganisations, kills and faults of the node`,
    async run({ settings }) {
      const opened = openDatabase({ url: settings.DATABASE_URL, poolSize: 5, log: { warn: () => undefined } });
      const node = await startScriptedChain();
      node.finality = 64;
      try {
        await watchAll(opened);
        return [await playWithProcesses(opened, settings.DATABASE_URL, node)];
      } finally {
        await Promise.all([node.stop(), opened.close()]);
      }
    },
  },
];
