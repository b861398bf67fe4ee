import type { Hex } from 'viem';
import { countStatements, multiplyAction } from '../../../test/actions/many-actions';
import { historyOf, ROUTER } from '../../../test/actions/sample-action';
import type { ScriptedChain } from '../../../test/actions/scripted-chain';
import {
  CHAIN_ID,
  openScriptedTracker,
  type ScriptedTracker,
  SENDER,
  TOKEN,
} from '../../../test/actions/scripted-tracker';
import { until } from '../../../test/resilience/until';
import type { TestDatabase } from '../../../test/setup/test-database';
import { holdLease, renewingLease, requireLease } from './chain-lease';
import type { TrackerDeps } from './tracker-deps';

const APPROVE: Hex = `0x095ea7b3${'00'.repeat(64)}`;

let tracker: ScriptedTracker;
let node: ScriptedChain;
let test: TestDatabase;
let deps: TrackerDeps;

beforeEach(async () => {
  tracker = await openScriptedTracker();
  ({ node, test, deps } = tracker);
});
afterEach(() => tracker.stop());

const pass = () => tracker.pass();
const swap: ScriptedTracker['swap'] = (calls) => tracker.swap(calls);
const swapAndTransaction = () => tracker.swapAndTransaction();
const statusOf = (id: string) => tracker.statusOf(id);
const cursor = () => tracker.cursor();
const quarantined = () => tracker.quarantined();
const callsTo = (method: string) => node.calls.filter((call) => call.method === method);

describe('an approval that many actions wait for', () => {
  it('is recorded for all of them with one receipt and one statement for each batch', async () => {
    const { id } = await swap([{ target: TOKEN, data: APPROVE }]);
    await multiplyAction(test.database, id, 300);
    await pass();
    const [txHash] = node.mine({ from: SENDER, to: TOKEN, input: APPROVE });
    const statements = countStatements(test.pool);
    node.calls.length = 0;
    expect(await pass()).toBe('caughtUp');
    expect(callsTo('eth_getTransactionReceipt')).toHaveLength(1);
    expect(statements(/UPDATE "ActionCall"/)).toBe(2); // all actions, then none
    expect(statements(/./)).toBeLessThan(40);
    expect(await test.database.actionCall.count({ where: { status: 'CONFIRMED', txHash: txHash! } })).toBe(301);
    expect(await historyOf(test.database, id)).toEqual(['>INITIAL WAITING_ORIGIN', 'INITIAL>INITIAL WAITING_ORIGIN']);
    expect(await test.database.actionEvent.count()).toBe(302);
  });

  it('is recorded once when it was sent twice, with the first transaction', async () => {
    const { id } = await swap([{ target: TOKEN, data: APPROVE }]);
    await pass();
    const approval = { from: SENDER, to: TOKEN, input: APPROVE };
    const [first] = node.mine({ ...approval, reverted: true }, approval);
    await pass();
    const call = await test.database.actionCall.findFirstOrThrow({ where: { actionId: id } });
    expect(call).toMatchObject({ status: 'FAILED', txHash: first, blockNumber: 1n });
  });

  it('is recorded with other approvals of the same block in one statement', async () => {
    const others = ['01', '02', '03'].map((end): Hex => `${APPROVE.slice(0, -2) as Hex}${end}`);
    for (const data of others) await swap([{ target: TOKEN, data }]);
    await pass();
    node.mine(...others.map((input) => ({ from: SENDER, to: TOKEN, input })));
    const statements = countStatements(test.pool);
    await pass();
    expect(statements(/UPDATE "ActionCall"/)).toBe(2);
    expect(await test.database.actionCall.count({ where: { status: 'CONFIRMED' } })).toBe(3);
  });
});

describe('a transaction that is identical to the calls of many actions', () => {
  it('executes the oldest of them, without reading the others', async () => {
    const { id, transaction } = await swapAndTransaction();
    await multiplyAction(test.database, id, 500);
    await pass();
    node.mine(transaction, transaction);
    await pass();
    const executed = await test.database.action.findMany({ where: { status: 'PENDING' }, orderBy: { id: 'asc' } });
    const oldest = await test.database.action.findMany({ orderBy: { id: 'asc' }, take: 2 });
    expect(executed.map((action) => action.id)).toEqual(oldest.map((action) => action.id));
  });
});

describe('blocks that are read again', () => {
  it('execute the same actions as before, and each new transaction in them one more', async () => {
    const { id, transaction } = await swapAndTransaction();
    await multiplyAction(test.database, id, 10);
    await pass();
    node.mine(...Array.from({ length: 4 }, () => transaction));
    await pass();
    await test.database.trackedBlock.deleteMany({ where: { number: { gt: 0n } } });
    const [again] = node.mine(transaction);
    await pass();
    const steps = await test.database.actionStep.findMany({
      where: { txHash: { not: null } },
      orderBy: { actionId: 'asc' },
    });
    expect(steps).toHaveLength(5);
    expect(new Set(steps.map(({ txHash }) => txHash)).size).toBe(5);
    expect(steps[4]?.txHash).toBe(again);
  });
});

/** All but those that renew a lease. */
const REAL_TIMERS = ['Date', 'performance', 'nextTick', 'queueMicrotask', 'setImmediate', 'setTimeout'] as const;
const leaseUntil = async () => (await test.database.chainTracker.findFirstOrThrow()).leaseUntil.getTime();

describe('the lease of a chain', () => {
  it('is renewed while a pass waits for a slow node', async () => {
    const slow = { ...deps, leaseSeconds: 600 };
    await holdLease(slow, CHAIN_ID);
    jest.useFakeTimers({ doNotFake: [...REAL_TIMERS, 'clearTimeout', 'clearImmediate'] });
    try {
      await renewingLease(slow, CHAIN_ID, async () => {
        for (let renewals = 0; renewals < 2; renewals += 1) {
          const before = await leaseUntil();
          jest.advanceTimersByTime(200_000);
          await until('the lease is renewed', async () => (await leaseUntil()) > before);
        }
        jest.advanceTimersByTime(200_000);
      });
      const last = await leaseUntil();
      expect(jest.getTimerCount()).toBe(0); // no longer renewed
      await new Promise(setImmediate);
      expect(await leaseUntil()).toBe(last);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is renewed by every write of a pass', async () => {
    await swapAndTransaction();
    await pass();
    node.mine();
    // Longer than a write sets it, so that the lease does not end before the write, however slow the machine is.
    const leaseEnd = new Date(Date.now() + 3_600_000);
    node.intercept = async () => {
      node.intercept = () => undefined;
      await test.database.chainTracker.updateMany({ data: { leaseUntil: leaseEnd } });
    };
    const startedAt = Date.now();
    await pass();
    const renewed = await leaseUntil();
    expect(renewed).toBeGreaterThanOrEqual(startedAt + 30_000);
    expect(renewed).toBeLessThan(leaseEnd.getTime());
  });

  it('is not taken again by a pass that has lost it', async () => {
    await swapAndTransaction();
    await pass();
    node.mine();
    await test.database.chainTracker.updateMany({ data: { leaseUntil: new Date(0) } });
    const lost = test.database.$transaction((tx) => requireLease(tx, deps, CHAIN_ID));
    await expect(lost).rejects.toThrow('the lease of chain 31337 ended during a pass');
  });
});

describe('a chain goes on', () => {
  it('from the last blocks that were recorded when a pass fails', async () => {
    const [early, late] = [await swapAndTransaction(), await swapAndTransaction()];
    await pass();
    node.mine(early.transaction);
    for (let count = 0; count < 24; count += 1) node.mine();
    node.mine(late.transaction);
    node.intercept = ({ method, params: [number] }) =>
      method === 'eth_getBlockByNumber' && Number(number) > 20
        ? { error: { code: -32005, message: 'slow down' } }
        : undefined;
    await expect(pass()).rejects.toThrow('unavailable');
    expect([await cursor(), await statusOf(early.id), await statusOf(late.id)]).toEqual([20n, 'PENDING', 'INITIAL']);
    node.intercept = () => undefined;
    await pass();
    expect([await cursor(), await statusOf(late.id)]).toEqual([26n, 'PENDING']);
    expect(await quarantined()).toEqual([]);
  });

  it('without a transaction whose receipt the node cannot show, which is put into quarantine', async () => {
    const [poisoned, sound] = [await swapAndTransaction(), await swapAndTransaction()];
    await pass();
    const [txHash] = node.mine(poisoned.transaction, sound.transaction);
    node.intercept = ({ method, params: [hash] }) =>
      method === 'eth_getTransactionReceipt' && hash === txHash
        ? { error: { code: -32000, message: 'corrupt' } }
        : undefined;
    expect(await pass()).toBe('caughtUp');
    expect([await statusOf(poisoned.id), await statusOf(sound.id)]).toEqual(['INITIAL', 'PENDING']);
    expect(await quarantined()).toEqual([
      { stage: 'transaction', item: txHash, error: expect.stringContaining('corrupt') },
    ]);
  });

  it.each([
    ['has no receipt', () => null],
    [
      'returns the receipt of another transaction',
      () => ({ transactionHash: `0x${'11'.repeat(32)}`, blockHash: '0x' }),
    ],
    ['returns nonsense as the receipt', () => 7],
    ['responds with something that is no JSON', () => '<html>'],
  ])('when the node %s of a transaction', async (_, response) => {
    const [poisoned, sound] = [await swapAndTransaction(), await swapAndTransaction()];
    await pass();
    const [txHash] = node.mine(poisoned.transaction, sound.transaction);
    node.intercept = ({ method, params: [hash] }) =>
      method === 'eth_getTransactionReceipt' && hash === txHash ? response() : undefined;
    expect(await pass()).toBe('caughtUp');
    expect([await cursor(), await statusOf(sound.id)]).toEqual([1n, 'PENDING']);
    expect(await quarantined()).toMatchObject([{ stage: 'transaction', item: txHash }]);
  });

  it('after a block that exceeds the bound of a response, and misses no transaction in it', async () => {
    const { id, transaction } = await swapAndTransaction();
    await pass();
    const input: Hex = `0x${'ab'.repeat(40_000)}`;
    const large = { from: ROUTER, to: TOKEN, input };
    node.mine(large, large, transaction, large);
    expect(await pass()).toBe('caughtUp');
    expect([await cursor(), await statusOf(id)]).toEqual([1n, 'PENDING']);
    expect(await quarantined()).toEqual([]);
  });

  it('after a transaction that exceeds every bound: its block is put into quarantine, the others in it are recorded', async () => {
    const { id, transaction } = await swapAndTransaction();
    await pass();
    node.mine({ from: ROUTER, to: TOKEN, input: `0x${'ab'.repeat(51_000)}` }, transaction);
    expect(await pass()).toBe('caughtUp');
    expect([await cursor(), await statusOf(id)]).toEqual([1n, 'PENDING']);
    expect(await quarantined()).toMatchObject([{ stage: 'block' }]);
  });

  it('after a block that the node cannot show at all, once it has the next one', async () => {
    const { id, transaction } = await swapAndTransaction();
    await pass();
    node.mine();
    node.mine(transaction);
    node.intercept = ({ method, params: [number] }) =>
      method === 'eth_getBlockByNumber' && number === '0x1'
        ? { error: { code: -32000, message: 'missing' } }
        : undefined;
    expect(await pass()).toBe('caughtUp');
    expect([await cursor(), await statusOf(id)]).toEqual([2n, 'PENDING']);
    expect(await quarantined()).toMatchObject([{ stage: 'block' }]);
  });

  it('after a transaction that the database cannot store', async () => {
    const [poisoned, sound] = [await swapAndTransaction(), await swapAndTransaction()];
    await pass();
    const [txHash] = node.mine(poisoned.transaction, sound.transaction);
    await test.database.$executeRawUnsafe(
      `ALTER TABLE "ActionStep" ADD CONSTRAINT poison CHECK ("txHash" <> '${txHash!}')`,
    );
    expect(await pass()).toBe('caughtUp');
    expect([await statusOf(poisoned.id), await statusOf(sound.id)]).toEqual(['INITIAL', 'PENDING']);
    expect(await quarantined()).toMatchObject([{ stage: 'transaction', item: txHash }]);
  });

  it('behind a transaction whose sender is no address', async () => {
    const { id, transaction } = await swapAndTransaction();
    await pass();
    node.mine({ from: '\0', to: TOKEN }, { from: 'nonsense', to: TOKEN }, transaction);
    expect(await pass()).toBe('caughtUp');
    expect([await cursor(), await statusOf(id)]).toEqual([1n, 'PENDING']);
  });

  it('later when the node limits the rate of requests: none is added, and nothing is put into quarantine', async () => {
    await swapAndTransaction();
    await pass();
    node.mine();
    node.intercept = ({ method, params: [, full] }) =>
      method === 'eth_getBlockByNumber' && full === true
        ? { error: { code: -32005, message: 'slow down' } }
        : undefined;
    node.calls.length = 0;
    await expect(pass()).rejects.toThrow('it limits the rate of requests');
    expect(node.calls.map(({ method, params: [, full] }) => [method, full])).toEqual([
      ['eth_getBlockByNumber', false],
      ['eth_getBlockByNumber', true],
    ]);
    expect(await quarantined()).toEqual([]);
  });

  it('with a transaction that approves tokens for some actions and executes another', async () => {
    const [waiting, executed] = [
      await swap([{ target: TOKEN, data: APPROVE }]),
      await swap([{ target: TOKEN, data: APPROVE }]),
    ];
    await test.database.actionCall.updateMany({ where: { actionId: executed.id }, data: { kind: 'SWAP' } });
    await pass();
    node.mine({ from: SENDER, to: TOKEN, input: APPROVE });
    await pass();
    expect([await statusOf(waiting.id), await statusOf(executed.id)]).toEqual(['INITIAL', 'PENDING']);
    expect(await test.database.actionCall.count({ where: { actionId: waiting.id, status: 'CONFIRMED' } })).toBe(1);
  });
});
