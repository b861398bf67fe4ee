import { historyOf, ROUTER } from '../../../test/actions/sample-action';
import { createSampleTransfer } from '../../../test/actions/sample-transfer';
import type { ScriptedTransaction } from '../../../test/actions/scripted-chain';
import { CHAIN_ID, openScriptedTracker, type ScriptedTracker, SENDER } from '../../../test/actions/scripted-tracker';
import { expireActions } from '../state/expire-actions';

let tracker: ScriptedTracker;
beforeEach(async () => {
  tracker = await openScriptedTracker();
  await tracker.pass();
});
afterEach(() => tracker.stop());

const PAST = new Date(0);
const catchUp = async () => {
  while ((await tracker.pass()) === 'behind');
};
const stepOf = (actionId: string) =>
  tracker.test.database.actionStep.findFirstOrThrow({ where: { actionId, stepIndex: 0 } });
const actionOf = (id: string) => tracker.test.database.action.findUniqueOrThrow({ where: { id } });
const history = (id: string) => historyOf(tracker.test.database, id);

/** Mines the transactions, and enough blocks for their finality. */
async function settle(...transactions: readonly ScriptedTransaction[]) {
  const hashes = tracker.node.mine(...transactions);
  await catchUp();
  tracker.node.mine();
  await catchUp();
  return hashes;
}

/** An action that has expired, and its transaction. */
async function expiredAction() {
  const { id, transaction } = await tracker.swapAndTransaction();
  await tracker.test.database.action.update({ where: { id }, data: { expiresAt: PAST } });
  await catchUp();
  expect(await expireActions(tracker.test)).toBe(1);
  return { id, transaction };
}

describe('the transaction of an expired action', () => {
  it('moves the action to its final status', async () => {
    const { id, transaction } = await expiredAction();
    const [txHash] = await settle(transaction);
    expect(await history(id)).toEqual([
      '>INITIAL WAITING_ORIGIN',
      'INITIAL>FAILED EXPIRED',
      'FAILED>PENDING WAITING_CONFIRMATIONS',
      'PENDING>SUCCESS',
    ]);
    expect(await actionOf(id)).toMatchObject({ failureReason: null, finishedAt: expect.any(Date) });
    expect(await stepOf(id)).toMatchObject({ status: 'CONFIRMED', txHash });
    const late = await tracker.test.database.actionEvent.findFirstOrThrow({ where: { toStatus: 'PENDING' } });
    expect(late.detail).toMatchObject({ txHash, late: 'true' });
  });

  it('that reverts states why the action failed', async () => {
    const { id, transaction } = await expiredAction();
    await settle({ ...transaction, reverted: true });
    expect((await history(id)).slice(-2)).toEqual([
      'FAILED>PENDING WAITING_CONFIRMATIONS',
      'PENDING>FAILED OUT_OF_GAS',
    ]);
    expect((await actionOf(id)).failureReason).toBe('The transaction ran out of gas');
  });

  it('starts the delivery of a transfer between chains', async () => {
    const data = '0x0102' as const;
    const call = { form: 'CALL', stepIndex: 0, chainId: CHAIN_ID, sender: SENDER, target: ROUTER } as const;
    const calls = [{ ...call, data, value: 0n }];
    const { id } = await createSampleTransfer(tracker.test.database, { calls, expiresAt: PAST });
    await catchUp();
    await expireActions(tracker.test);
    await settle({ from: SENDER, to: ROUTER, input: data });
    const { steps, delivery, status } = await tracker.test.database.action.findUniqueOrThrow({
      where: { id },
      include: { steps: { orderBy: { stepIndex: 'asc' } }, delivery: true },
    });
    expect([status, ...steps.map((step) => step.status)]).toEqual(['PENDING', 'CONFIRMED', 'PENDING']);
    expect(delivery).toMatchObject({ phase: 'ACTIVE', nextPollAt: expect.any(Date) });
  });

  it('is no longer found a week later', async () => {
    const { id, transaction } = await expiredAction();
    await tracker.test.database.actionCall.updateMany({ data: { watchedUntil: PAST } });
    await catchUp();
    await expireActions(tracker.test);
    await settle(transaction);
    expect(await actionOf(id)).toMatchObject({ status: 'FAILED', substatus: 'EXPIRED' });
  });
});

describe('a transaction that reverted', () => {
  it('gives its place to one that succeeded before the action has failed', async () => {
    const { id, transaction } = await tracker.swapAndTransaction();
    await catchUp();
    const [reverted] = tracker.node.mine({ ...transaction, reverted: true });
    await tracker.pass();
    expect(await stepOf(id)).toMatchObject({ status: 'SUBMITTED', txHash: reverted, reverted: true });
    const [txHash] = await settle(transaction);
    expect(await stepOf(id)).toMatchObject({ status: 'CONFIRMED', txHash, reverted: false });
    expect(await history(id)).toEqual([
      '>INITIAL WAITING_ORIGIN',
      'INITIAL>PENDING WAITING_CONFIRMATIONS',
      'PENDING>PENDING WAITING_CONFIRMATIONS',
      'PENDING>SUCCESS',
    ]);
  });

  it('gives its place to one that succeeded in the same block', async () => {
    const { id, transaction } = await tracker.swapAndTransaction();
    await catchUp();
    const [, txHash] = await settle({ ...transaction, reverted: true }, transaction);
    expect(await stepOf(id)).toMatchObject({ status: 'CONFIRMED', txHash });
  });

  it('gives its place to one that succeeded after the action had failed', async () => {
    const { id, transaction } = await tracker.swapAndTransaction();
    await catchUp();
    await settle({ ...transaction, reverted: true });
    expect(await tracker.statusOf(id)).toBe('FAILED');
    const [txHash] = await settle(transaction);
    expect((await history(id)).slice(-3)).toEqual([
      'PENDING>FAILED OUT_OF_GAS',
      'FAILED>PENDING WAITING_CONFIRMATIONS',
      'PENDING>SUCCESS',
    ]);
    expect(await stepOf(id)).toMatchObject({ status: 'CONFIRMED', txHash, failureReason: null });
  });

  it('takes the place of no other one', async () => {
    const { id, transaction } = await tracker.swapAndTransaction();
    await catchUp();
    const [txHash] = await settle(transaction, { ...transaction, reverted: true });
    expect(await stepOf(id)).toMatchObject({ status: 'CONFIRMED', txHash });
    await settle({ ...transaction, reverted: true });
    expect(await history(id)).toHaveLength(3);
  });
});
