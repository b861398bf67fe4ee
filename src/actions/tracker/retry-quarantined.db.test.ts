import type { Address } from 'viem';
import { createSampleAction, ROUTER, someCalldata } from '../../../test/actions/sample-action';
import { bundleOf } from '../../../test/actions/scripted-bundle';
import type { RpcCall } from '../../../test/actions/scripted-chain';
import { CHAIN_ID, openScriptedTracker, type ScriptedTracker } from '../../../test/actions/scripted-tracker';
import { createTestDatabase, emptyDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { ENTRY_POINT } from '../../smart-accounts/safe-contracts';
import { expireActions } from '../state/expire-actions';
import { postponedItems, quarantine } from '../state/quarantine';
import { retryChain, retryQuarantined } from './retry-quarantined';

let test: TestDatabase;
let tracker: ScriptedTracker;
// Queries are planned and compiled when a client sends them first, which takes more of a processor than the tests themselves:
// all tests share one client, and the most expensive queries are sent before.
beforeAll(async () => {
  test = await createTestDatabase();
  const first = await openScriptedTracker({ test });
  await first.swapAndTransaction();
  await first.pass();
  await first.stop();
  await emptyDatabase(test);
});
afterAll(() => test.drop());
beforeEach(async () => {
  tracker = await openScriptedTracker({ test });
});
afterEach(async () => {
  await tracker.stop();
  await emptyDatabase(test);
});

const TIMERS = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'nextTick',
  'queueMicrotask',
  'hrtime',
  'performance',
] as const;
const { signal } = new AbortController();
const makeDue = () => tracker.test.database.quarantine.updateMany({ data: { nextAt: new Date(0) } });
const retry = async () => {
  await makeDue();
  await retryQuarantined(tracker.deps, signal);
};
const items = () => tracker.test.database.quarantine.findMany({ orderBy: { sender: 'asc' } });
const failReceipts = () => {
  tracker.node.intercept = ({ method }) =>
    method === 'eth_getTransactionReceipt' ? { error: { code: -32000, message: 'not now' } } : undefined;
};

/** Runs while the clock of the process, and that of the scripted chain, differs by these hours. */
async function atHours<Result>(hours: number, run: () => Promise<Result>): Promise<Result> {
  jest.useFakeTimers({ now: Date.now() + hours * 3_600_000, doNotFake: [...TIMERS] });
  return run().finally(() => jest.useRealTimers());
}

/** An action whose transaction is in quarantine. */
async function quarantinedAction() {
  const { id, transaction } = await tracker.swapAndTransaction();
  await tracker.pass();
  const [txHash] = tracker.node.mine(transaction);
  failReceipts();
  await tracker.pass();
  return { id, txHash, transaction };
}

/** Retries what is in quarantine with a node that responds again; resolves to what was logged as a warning. */
async function retryAtHealthyNode(): Promise<readonly unknown[]> {
  const warnings: unknown[] = [];
  tracker.node.intercept = () => undefined;
  await makeDue();
  const warn = (_: unknown, message?: string) => void warnings.push(message);
  await retryQuarantined({ ...tracker.deps, log: { info: () => undefined, warn } }, signal);
  return warnings;
}

const FORMER_BLOCK = { blockNumber: 7n, blockHash: `0x${'07'.repeat(32)}` };

describe('a transaction in quarantine that moves to another block', () => {
  it('is recorded in that block, although it failed in the former one', async () => {
    const { id } = await quarantinedAction();
    await tracker.test.database.quarantine.updateMany({ data: { ...FORMER_BLOCK, sender: null } });
    await tracker.test.database.trackedBlock.deleteMany({ where: { number: { gt: 0n } } });
    await tracker.pass();
    const { hash: blockHash } = await tracker.test.database.trackedBlock.findFirstOrThrow({ where: { number: 1n } });
    expect(await items()).toMatchObject([{ blockNumber: 1n, blockHash, sender: `0x${'5e'.repeat(20)}`, attempts: 2 }]);
    tracker.node.intercept = () => undefined;
    await retry();
    expect([await tracker.statusOf(id), await items()]).toEqual(['PENDING', []]);
  });

  it.each([
    ['succeeds', () => undefined],
    ['fails', () => ({ error: { code: -32000, message: 'no' } })],
  ])('stays in quarantine with the new block when a retry of the former block %s later', async (_, response) => {
    const { txHash } = await quarantinedAction();
    await tracker.test.database.quarantine.updateMany({ data: { ...FORMER_BLOCK, blockNumber: 1n } });
    let moved: Promise<void> | undefined;
    tracker.node.intercept = async () => {
      moved ??= quarantine(
        tracker.test.database,
        { chainId: CHAIN_ID, stage: 'transaction', item: txHash!, block: { number: 8n, hash: '0x08' }, txHash },
        new TypeError('failed again'),
      );
      await moved;
      return response();
    };
    await retry();
    expect(await items()).toMatchObject([{ blockNumber: 8n, attempts: 2, error: 'TypeError: failed again' }]);
  });
});

describe('a retry', () => {
  /** The node never responds. */
  const HANGING = new Promise(() => undefined);
  const isForHead = ({ method, params }: RpcCall) => method === 'eth_getBlockByNumber' && params[0] === 'latest';

  it('ends with its process although the node hangs, and is no attempt of the item', async () => {
    await quarantinedAction();
    await makeDue();
    const stop = new AbortController();
    tracker.node.intercept = () => {
      stop.abort();
      return HANGING;
    };
    await retryChain({ ...tracker.deps, maxItemMs: 60_000 }, CHAIN_ID, stop.signal);
    expect(stop.signal.aborted).toBe(true);
    expect(await items()).toMatchObject([{ attempts: 1 }]);
  });

  it('that exceeds its time limit postpones the item and ends', async () => {
    await quarantinedAction();
    await makeDue();
    tracker.node.intercept = (call) => (isForHead(call) ? undefined : HANGING);
    await retryChain({ ...tracker.deps, maxItemMs: 50 }, CHAIN_ID, signal);
    expect(await items()).toMatchObject([{ attempts: 2, error: expect.stringContaining('TimeoutError') }]);
  });

  it('is no attempt while the node is unavailable, and the items stay due', async () => {
    await quarantinedAction();
    await makeDue();
    tracker.node.intercept = () => ({ error: { code: -32000, message: 'no node' } });
    await retryChain(tracker.deps, CHAIN_ID, signal);
    const [item] = await items();
    expect(item).toMatchObject({ attempts: 1 });
    expect(item!.nextAt.getTime()).toBeLessThanOrEqual(Date.now());
  });
});

describe('a transaction that left the quarantine', () => {
  const UNRELATED = ['a transaction left the quarantine without executing an action: no waiting action matches it'];

  it('executes no action that was created after it was seen, and a warning reports it', async () => {
    const { id, transaction } = await quarantinedAction();
    await tracker.test.database.actionCall.updateMany({ data: { open: false } });
    const { id: later } = await tracker.swap([{ target: transaction.to, data: transaction.input }]);
    expect(await retryAtHealthyNode()).toEqual(UNRELATED);
    expect([await tracker.statusOf(id), await tracker.statusOf(later)]).toEqual(['INITIAL', 'INITIAL']);
    expect(await items()).toEqual([]);
  });

  it('executes the action that was created before it was seen, although its block has a time long before', async () => {
    const { id, transaction } = await tracker.swapAndTransaction();
    await tracker.pass();
    // A chain that catches up after an outage.
    await atHours(-2, () => Promise.resolve(tracker.node.mine(transaction)));
    failReceipts();
    await tracker.pass();
    const { id: later } = await tracker.swap([{ target: transaction.to, data: transaction.input }]);
    expect(await retryAtHealthyNode()).toEqual([]);
    expect([await tracker.statusOf(id), await tracker.statusOf(later)]).toEqual(['PENDING', 'INITIAL']);
    expect(await items()).toEqual([]);
  });

  it('is no warning when it executed its action meanwhile', async () => {
    const { id } = await quarantinedAction();
    tracker.node.intercept = () => undefined;
    await tracker.test.database.trackedBlock.deleteMany({ where: { number: { gt: 0n } } });
    await tracker.pass();
    expect(await tracker.statusOf(id)).toBe('PENDING');
    expect(await items()).toHaveLength(1);
    expect(await retryAtHealthyNode()).toEqual([]);
    expect(await items()).toEqual([]);
  });
});

describe('the clock of the process', () => {
  const REFERENCE = { chainId: CHAIN_ID, stage: 'search' as const, item: 'reference' };

  it('does not decide which items are due', async () => {
    await quarantinedAction();
    await tracker.test.database.$executeRaw`UPDATE "Quarantine" SET "nextAt" = now() - interval '1 second'`;
    await quarantine(tracker.test.database, REFERENCE, new TypeError('failed'));
    const postponed = await atHours(2, () => postponedItems(tracker.test.database, REFERENCE));
    expect([...postponed]).toEqual(['reference']);
    await atHours(-2, () => retryQuarantined(tracker.deps, signal));
    expect(await items()).toContainEqual(expect.objectContaining({ stage: 'transaction', attempts: 2 }));
  });

  it('does not keep a transaction from executing its action', async () => {
    const { id, transaction } = await atHours(2, () => tracker.swapAndTransaction());
    await tracker.pass();
    tracker.node.mine(transaction);
    failReceipts();
    await tracker.pass();
    expect(await retryAtHealthyNode()).toEqual([]);
    expect(await tracker.statusOf(id)).toBe('PENDING');
  });
});

const [ONE, TWO]: Address[] = [`0x${'a1'.repeat(20)}`, `0x${'a2'.repeat(20)}`];

async function accountAction(account: Address) {
  const callData = someCalldata();
  const calls = [{ form: 'USER_OPERATION' as const, sender: account, target: ENTRY_POINT, data: callData }];
  const { id } = await createSampleAction(tracker.test.database, { originAddress: account, calls });
  await tracker.test.database.action.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1000) } });
  return { id, account, callData };
}

describe('a bundle in quarantine', () => {
  it('keeps the actions of its accounts from expiring, not those of others, and is recorded later', async () => {
    const [one, two, other] = [
      await accountAction(ONE!),
      await accountAction(TWO!),
      await accountAction(ROUTER.toLowerCase() as Address),
    ];
    await tracker.pass();
    const [txHash] = tracker.node.mine(bundleOf([one, two]));
    failReceipts();
    while ((await tracker.pass()) === 'behind');
    expect(await items()).toMatchObject([ONE, TWO].map((sender) => ({ txHash, sender })));
    expect(await expireActions(tracker.test)).toBe(1);
    expect(await tracker.statusOf(other.id)).toBe('FAILED');
    tracker.node.intercept = () => undefined;
    await retry();
    expect([await tracker.statusOf(one.id), await tracker.statusOf(two.id)]).toEqual(['PENDING', 'PENDING']);
    expect(await items()).toEqual([]);
  });

  it('counts each attempt once for each account, although the receipt serves several operations', async () => {
    const actions = [await accountAction(ONE!), await accountAction(ONE!), await accountAction(TWO!)];
    await tracker.pass();
    tracker.node.mine(bundleOf(actions));
    failReceipts();
    await tracker.pass();
    expect(await items()).toMatchObject([ONE, TWO].map((sender) => ({ sender, attempts: 1 })));
    await retry();
    expect(await items()).toMatchObject([ONE, TWO].map((sender) => ({ sender, attempts: 2 })));
    expect(await retryAtHealthyNode()).toEqual([]);
    expect(await items()).toEqual([]);
  });
});
