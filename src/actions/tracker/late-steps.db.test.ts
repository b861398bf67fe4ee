import { createSampleAction, historyOf, ROUTER, sampleToken, someCalldata } from '../../../test/actions/sample-action';
import type { ScriptedTransaction } from '../../../test/actions/scripted-chain';
import {
  CHAIN_ID,
  openScriptedTracker,
  type ScriptedTracker,
  SENDER,
  TOKEN,
} from '../../../test/actions/scripted-tracker';
import { expireActions } from '../state/expire-actions';

let tracker: ScriptedTracker;
beforeEach(async () => {
  tracker = await openScriptedTracker();
  await tracker.pass();
});
afterEach(() => tracker.stop());

const HOUR_MS = 3_600_000;
const own = { operator: 'USER', protocol: 'aave-v3', chainId: CHAIN_ID } as const;
const catchUp = async () => {
  while ((await tracker.pass()) === 'behind');
};

/** Mines the transactions, and enough blocks for their finality. */
async function settle(...transactions: readonly ScriptedTransaction[]) {
  const hashes = tracker.node.mine(...transactions);
  await catchUp();
  tracker.node.mine();
  await catchUp();
  return hashes;
}

/** An action of a swap and a deposit, and the transactions that carry them out. */
async function swapAndDeposit() {
  const [swapData, depositData] = [someCalldata(), someCalldata()];
  const call = { sender: SENDER, target: ROUTER };
  const { id } = await createSampleAction(tracker.test.database, {
    type: 'SAMECHAIN_INVESTMENT_DEPOSIT',
    originAddress: SENDER,
    receiverAddress: SENDER,
    tokenIn: sampleToken('IN', { address: TOKEN }),
    steps: [
      { kind: 'SWAP', ...own },
      { kind: 'DEPOSIT', ...own },
    ],
    calls: [
      { ...call, data: swapData, stepIndex: 0 },
      { ...call, data: depositData, stepIndex: 1 },
    ],
  });
  const transaction = { from: SENDER, to: ROUTER };
  return { id, swap: { ...transaction, input: swapData }, deposit: { ...transaction, input: depositData } };
}

/** The action had an hour, which is over. */
async function expire(id: string): Promise<void> {
  const [createdAt, expiresAt] = [new Date(Date.now() - 2 * HOUR_MS), new Date(Date.now() - HOUR_MS)];
  await tracker.test.database.action.update({ where: { id }, data: { createdAt, expiresAt } });
  await tracker.test.database.actionStep.updateMany({
    where: { actionId: id, status: 'CONFIRMED' },
    data: { minedAt: createdAt },
  });
  await catchUp();
  await expireActions(tracker.test);
}

const stateOf = async (id: string) => {
  const { status, substatus, steps } = await tracker.test.database.action.findUniqueOrThrow({
    where: { id },
    include: { steps: { orderBy: { stepIndex: 'asc' } } },
  });
  return [status, substatus, ...steps.map((step) => step.status)];
};

describe('an action with two transactions of one wallet', () => {
  it('succeeds when the second one is sent again after it reverted', async () => {
    const { id, swap, deposit } = await swapAndDeposit();
    await settle(swap);
    await settle({ ...deposit, reverted: true });
    expect(await stateOf(id)).toEqual(['FAILED', 'OUT_OF_GAS', 'CONFIRMED', 'FAILED']);
    const [txHash] = await settle(deposit);
    expect(await stateOf(id)).toEqual(['SUCCESS', null, 'CONFIRMED', 'CONFIRMED']);
    const steps = { where: { actionId: id, stepIndex: 1 } };
    expect(await tracker.test.database.actionStep.findFirst(steps)).toMatchObject({ txHash, failureReason: null });
  });

  it('succeeds when the second one comes after the action has expired', async () => {
    const { id, swap, deposit } = await swapAndDeposit();
    await settle(swap);
    await expire(id);
    expect(await stateOf(id)).toEqual(['FAILED', 'PARTIAL', 'CONFIRMED', 'SKIPPED']);
    await settle(deposit);
    expect(await stateOf(id)).toEqual(['SUCCESS', null, 'CONFIRMED', 'CONFIRMED']);
  });

  it('that goes on late has as long for the second one as it had for the first', async () => {
    const { id, swap, deposit } = await swapAndDeposit();
    await expire(id);
    expect(await stateOf(id)).toEqual(['FAILED', 'EXPIRED', 'SKIPPED', 'SKIPPED']);
    await settle(swap);
    // The blocks of the scripted chain are old.
    await tracker.test.database.actionStep.updateMany({ where: { stepIndex: 0 }, data: { minedAt: new Date() } });
    expect(await expireActions(tracker.test)).toBe(0);
    expect(await stateOf(id)).toEqual(['PENDING', 'WAITING_DESTINATION', 'CONFIRMED', 'PENDING']);
    await settle(deposit);
    expect((await stateOf(id))[0]).toBe('SUCCESS');
  });

  it('waits for the first one when only the second succeeded, and does not count as done without it', async () => {
    const { id, swap, deposit } = await swapAndDeposit();
    await settle({ ...swap, reverted: true });
    expect(await stateOf(id)).toEqual(['FAILED', 'OUT_OF_GAS', 'FAILED', 'SKIPPED']);
    await settle(deposit);
    expect(await stateOf(id)).toEqual(['PENDING', 'WAITING_ORIGIN', 'PENDING', 'CONFIRMED']);
    await settle(swap);
    expect(await stateOf(id)).toEqual(['SUCCESS', null, 'CONFIRMED', 'CONFIRMED']);
    expect(await historyOf(tracker.test.database, id)).toContain('FAILED>PENDING WAITING_CONFIRMATIONS');
  });

  it('is not failed by a transaction that reverts after another one was sent in its place', async () => {
    const { id, swap, deposit } = await swapAndDeposit();
    await settle(swap, deposit);
    await settle({ ...deposit, reverted: true });
    expect((await stateOf(id))[0]).toBe('SUCCESS');
  });
});
