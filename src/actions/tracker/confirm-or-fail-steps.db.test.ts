import type { Hex } from 'viem';
import { ROUTER } from '../../../test/actions/sample-action';
import { openScriptedTracker, type ScriptedTracker } from '../../../test/actions/scripted-tracker';
import { expireActions } from '../state/expire-actions';
import { retryQuarantined } from './retry-quarantined';

let tracker: ScriptedTracker;
beforeEach(async () => {
  tracker = await openScriptedTracker();
});
afterEach(() => tracker.stop());

const { signal } = new AbortController();
const makeDue = () => tracker.test.database.quarantine.updateMany({ data: { nextAt: new Date(0) } });
const retry = async () => {
  await makeDue();
  await retryQuarantined(tracker.deps, signal);
};
const failing = (method: string, hash: unknown, code = -32000) => {
  tracker.node.intercept = (call) =>
    call.method === method && call.params[0] === hash ? { error: { code, message: 'not now' } } : undefined;
};

/** Actions whose transactions are mined and final, but not settled. */
async function minedActions(count: number) {
  const actions = [];
  for (let index = 0; index < count; index += 1) actions.push(await tracker.swapAndTransaction());
  await tracker.pass();
  const hashes = tracker.node.mine(...actions.map((action) => ({ ...action.transaction, reverted: true })));
  await tracker.pass();
  tracker.node.mine();
  return { ids: actions.map(({ id }) => id), hashes };
}

describe('the settlement of final transactions', () => {
  // The second code is that of a limited request rate, which may concern the whole chain.
  it.each([-32000, -32005])('goes on behind a transaction whose calls fail with %d', async (code) => {
    const { ids, hashes } = await minedActions(3);
    failing('eth_getTransactionByHash', hashes[0], code);
    await tracker.pass();
    expect(await Promise.all(ids.map((id) => tracker.statusOf(id)))).toEqual(['PENDING', 'FAILED', 'FAILED']);
    expect(await tracker.quarantined()).toMatchObject([{ stage: 'settlement', item: `${ids[0]!}/0` }]);
  });

  it('reads few receipts ahead, because each may have megabytes of logs', async () => {
    const { ids } = await minedActions(20);
    tracker.node.calls.length = 0;
    await tracker.pass();
    const methods = tracker.node.calls.map(({ method }) => method);
    const ahead = methods.slice(0, methods.indexOf('eth_getTransactionByHash'));
    expect(ahead.filter((method) => method === 'eth_getTransactionReceipt')).toHaveLength(16);
    expect(new Set(await Promise.all(ids.map((id) => tracker.statusOf(id))))).toEqual(new Set(['FAILED']));
  });

  it('goes on behind a transaction without a receipt', async () => {
    const { ids, hashes } = await minedActions(2);
    tracker.node.intercept = ({ method, params: [hash] }) =>
      method === 'eth_getTransactionReceipt' && hash === hashes[0] ? null : undefined;
    await tracker.pass();
    expect(await Promise.all(ids.map((id) => tracker.statusOf(id)))).toEqual(['PENDING', 'FAILED']);
  });

  it('tries again only when the next attempt is due, and leaves the quarantine with the result', async () => {
    const { ids, hashes } = await minedActions(1);
    failing('eth_getTransactionByHash', hashes[0]);
    await tracker.pass();
    tracker.node.calls.length = 0;
    await tracker.pass();
    expect(tracker.node.calls.filter(({ method }) => method === 'eth_getTransactionReceipt')).toEqual([]);
    tracker.node.intercept = () => undefined;
    await makeDue();
    await tracker.pass();
    expect([await tracker.statusOf(ids[0]!), await tracker.quarantined()]).toEqual(['FAILED', []]);
  });

  it('quarantines nothing while the whole chain does not respond', async () => {
    await minedActions(2);
    tracker.node.intercept = ({ method }) => {
      if (method === 'eth_getTransactionByHash') tracker.node.intercept = () => '<html>';
      return undefined;
    };
    await expect(tracker.pass()).rejects.toThrow('unavailable');
    expect(await tracker.quarantined()).toEqual([]);
  });
});

describe('the quarantine', () => {
  it('keeps a transaction until its receipt can be read, then records it', async () => {
    const { id, transaction } = await tracker.swapAndTransaction();
    await tracker.pass();
    const [txHash] = tracker.node.mine(transaction);
    failing('eth_getTransactionReceipt', txHash);
    await tracker.pass();
    await retry();
    const [kept] = await tracker.test.database.quarantine.findMany();
    expect(kept).toMatchObject({ item: txHash, attempts: 2 });
    expect(kept!.nextAt.getTime()).toBeGreaterThan(Date.now() + 20_000);
    tracker.node.intercept = () => undefined;
    await retryQuarantined(tracker.deps, signal); // not due yet
    expect(await tracker.statusOf(id)).toBe('INITIAL');
    await retry();
    expect([await tracker.statusOf(id), await tracker.quarantined()]).toEqual(['PENDING', []]);
  });

  it('keeps a block until it can be read, then records its transactions', async () => {
    const { id, transaction } = await tracker.swapAndTransaction();
    await tracker.pass();
    tracker.node.mine(transaction);
    tracker.node.mine();
    tracker.node.intercept = ({ method, params: [number] }) =>
      method === 'eth_getBlockByNumber' && number === '0x1' ? { error: { code: -32000, message: 'no' } } : undefined;
    await tracker.pass();
    await retry();
    expect([await tracker.statusOf(id), (await tracker.quarantined()).length]).toEqual(['INITIAL', 1]);
    tracker.node.intercept = () => undefined;
    await retry();
    expect([await tracker.statusOf(id), await tracker.quarantined()]).toEqual(['PENDING', []]);
  });

  it('keeps an action from expiring while its transaction may be in a block that was not read', async () => {
    const { id, transaction } = await tracker.swapAndTransaction();
    await tracker.test.database.action.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1000) } });
    tracker.node.mine(transaction);
    tracker.node.mine();
    tracker.node.intercept = ({ method, params: [number] }) =>
      method === 'eth_getBlockByNumber' && number === '0x1' ? { error: { code: -32000, message: 'no' } } : undefined;
    while ((await tracker.pass()) === 'behind');
    expect(await tracker.quarantined()).toMatchObject([{ stage: 'block' }]);
    expect(await expireActions(tracker.test)).toBe(0);
    await tracker.test.database.quarantine.deleteMany();
    expect(await expireActions(tracker.test)).toBe(1);
  });

  it('keeps an action from expiring while a transaction of its wallet is in quarantine, and records it after that', async () => {
    const [{ id, transaction }, other] = [await tracker.swapAndTransaction(), await tracker.swapAndTransaction()];
    const overdue = { expiresAt: new Date(Date.now() - 1000) };
    await tracker.test.database.action.updateMany({ data: overdue });
    await tracker.test.database.action.update({ where: { id: other.id }, data: { originAddress: ROUTER } });
    await tracker.pass();
    const [txHash] = tracker.node.mine(transaction);
    failing('eth_getTransactionReceipt', txHash);
    while ((await tracker.pass()) === 'behind');
    expect(await expireActions(tracker.test)).toBe(1); // the other wallet's
    expect([await tracker.statusOf(id), await tracker.statusOf(other.id)]).toEqual(['INITIAL', 'FAILED']);
    tracker.node.intercept = () => undefined;
    await retry();
    expect(await tracker.statusOf(id)).toBe('PENDING');
  });

  it('releases a step that was settled in another way, and keeps one that was not', async () => {
    const { ids, hashes } = await minedActions(2);
    tracker.node.intercept = ({ method, params: [hash] }) =>
      method === 'eth_getTransactionByHash' && hashes.includes(hash as Hex)
        ? { error: { code: -32000, message: 'not now' } }
        : undefined;
    await tracker.pass();
    expect(await tracker.quarantined()).toHaveLength(2);
    await tracker.test.database.actionStep.updateMany({ where: { actionId: ids[0]! }, data: { status: 'CONFIRMED' } });
    await retryQuarantined(tracker.deps, signal);
    expect(await tracker.quarantined()).toMatchObject([{ item: `${ids[1]!}/0` }]);
  });
});
