import type { Hex } from 'viem';
import { multiplyAction } from '../../test/actions/many-actions';
import { ROUTER } from '../../test/actions/sample-action';
import { cpuTime } from './cpu-time';
import { openScriptedTracker, type ScriptedTracker, SENDER, TOKEN } from '../../test/actions/scripted-tracker';

/** What one pass of the tracker did. */
export interface MeasuredPass {
  readonly title: string;
  readonly passMs: number;
  /** CPU time of this process, which runs the tracker and the node, and of the database; `NaN` where it is unknown. */
  readonly cpuMs: number;
  /** JSON-RPC calls. */
  readonly requests: number;
  /** Items in quarantine after the pass. */
  readonly quarantined: number;
  /** Why the result is wrong; `undefined` when it is as expected. */
  readonly problem: string | undefined;
}

const APPROVE: Hex = `0x095ea7b3${'00'.repeat(64)}`;

/** Prepares a chain; returns what is wrong after the pass. */
type Preparation = (tracker: ScriptedTracker) => Promise<() => Promise<string | undefined>>;

async function run(title: string, prepare: Preparation): Promise<MeasuredPass> {
  const tracker = await openScriptedTracker({ maxResponseBytes: undefined });
  try {
    const problemOf = await prepare(tracker);
    tracker.node.calls.length = 0;
    const [startedAt, usedBefore] = [performance.now(), await cpuTime(tracker.test.pool)];
    const result = await tracker.pass();
    const passMs = performance.now() - startedAt;
    const cpuMs = (await cpuTime(tracker.test.pool)) - usedBefore;
    const [problem, quarantined] = [await problemOf(), (await tracker.quarantined()).length];
    const unfinished = result === 'caughtUp' ? undefined : `the pass ended with "${result}"`;
    return { title, passMs, cpuMs, requests: tracker.node.calls.length, quarantined, problem: problem ?? unfinished };
  } finally {
    await tracker.stop();
  }
}

const expected = (actual: unknown, wanted: unknown): string | undefined =>
  actual === wanted ? undefined : `${String(actual)} instead of ${String(wanted)}`;

/** Open actions that wait for one approval. */
export const manyApprovals = (count: number): Promise<MeasuredPass> =>
  run(`one approval for ${count.toLocaleString('en')} open actions`, async ({ node, test, swap, pass }) => {
    const { id } = await swap([{ target: TOKEN, data: APPROVE }]);
    await multiplyAction(test.database, id, count - 1);
    await pass();
    node.mine({ from: SENDER, to: TOKEN, input: APPROVE });
    return async () => expected(await test.database.actionCall.count({ where: { status: 'CONFIRMED' } }), count);
  });

const TRANSACTIONS = 50;

/** Open actions that are identical, and a block with some transactions that execute one of them each. */
export const manyIdenticalSwaps = (count: number): Promise<MeasuredPass> =>
  run(`${TRANSACTIONS} swaps, each identical to ${count.toLocaleString('en')} open actions`, async (tracker) => {
    const { node, test, pass } = tracker;
    const { id, transaction } = await tracker.swapAndTransaction();
    await multiplyAction(test.database, id, count - 1);
    await pass();
    node.mine(...Array.from({ length: TRANSACTIONS }, () => transaction));
    return async () => expected(await test.database.action.count({ where: { status: 'PENDING' } }), TRANSACTIONS);
  });

/** 100 transactions with 200,000 characters of calldata each, and the transaction of an action behind them. */
export const large = (): Promise<MeasuredPass> =>
  run('a block of 20 MB', async (tracker) => {
    const { id, transaction } = await tracker.swapAndTransaction();
    await tracker.pass();
    const input: Hex = `0x${'ab'.repeat(100_000)}`;
    const foreign = { from: ROUTER, to: TOKEN, input };
    tracker.node.mine(...Array.from({ length: 100 }, () => foreign), transaction);
    return async () => expected(await tracker.statusOf(id), 'PENDING');
  });

/** 60 blocks of a node that takes 1.7 seconds for every response, with an action in the last one. */
export const slowNode = (): Promise<MeasuredPass> =>
  run('60 blocks of a node that responds after 1.7 s', async (tracker) => {
    const { id, transaction } = await tracker.swapAndTransaction();
    await tracker.pass();
    for (let count = 1; count < 60; count += 1) tracker.node.mine();
    tracker.node.mine(transaction);
    tracker.node.delayMs = 1700;
    return async () => expected(await tracker.statusOf(id), 'PENDING');
  });

/** A receipt that the node cannot show, of the first of two transactions. */
export const poisonedReceipt = (): Promise<MeasuredPass> =>
  run('a receipt that the node cannot show', async (tracker) => {
    const [poisoned, sound] = [await tracker.swapAndTransaction(), await tracker.swapAndTransaction()];
    await tracker.pass();
    const [txHash] = tracker.node.mine(poisoned.transaction, sound.transaction);
    tracker.node.intercept = ({ method, params: [hash] }) =>
      method === 'eth_getTransactionReceipt' && hash === txHash
        ? { error: { code: -32000, message: 'no' } }
        : undefined;
    return async () =>
      expected(await tracker.statusOf(sound.id), 'PENDING') ?? expected((await tracker.quarantined()).length, 1);
  });
