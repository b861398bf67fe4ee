import { recordExecution } from '../../src/actions/state/record-execution';
import { readTransferAction } from '../../src/actions/delivery/transfer-action';
import { expireActions } from '../../src/actions/state/expire-actions';
import { substatusAfterLoss } from '../../src/actions/state/next-step';
import { resetReorgedStep } from '../../src/actions/tracker/relocate-step';
import { openScriptedTracker } from '../actions/scripted-tracker';
import { recordConfirmedStep } from '../../src/actions/tracker/record-confirmed-step';
import { failRevertedStep } from '../../src/actions/tracker/fail-reverted-step';
import { submittedSteps } from '../../src/actions/tracker/submitted-steps';
import { delivered, pollWith } from '../actions/delivery-desk';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { untilBlocked } from '../setup/until-blocked';
import { ORIGIN, someExecution, transfersWithinActions } from './transfers-within-actions';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const { pendingAction, setStep, settle, execute, stateOf } = transfersWithinActions(() => test);

describe('a withdrawal to another chain', () => {
  it('polls its provider once the transfer was sent, not after the withdrawal', async () => {
    const action = await pendingAction('withdraw', ['PENDING', 'PENDING', 'PENDING']);
    const { id } = action;
    await execute(id, 0);
    expect((await stateOf(id)).delivery?.phase).toBe('AWAITING_ORIGIN');
    await setStep(id, 0, { status: 'CONFIRMED' });
    await settle(action, 0);
    expect((await stateOf(id)).state).toEqual(['PENDING', 'WAITING_ORIGIN']);
    await execute(id, 1);
    expect((await stateOf(id)).delivery?.phase).toBe('ACTIVE');
    expect(await readTransferAction(test.database, id)).toMatchObject({ endsAction: true, origin: { stepIndex: 1 } });
  });

  it('whose transfer is never sent fails with the tokens in the wallet, and goes on when it is sent late', async () => {
    const { id } = await pendingAction('withdraw', ['CONFIRMED', 'PENDING', 'PENDING'], -1000);
    expect(await expireActions(test)).toBe(1);
    expect(await stateOf(id)).toMatchObject({
      state: ['FAILED', 'PARTIAL'],
      steps: ['CONFIRMED', 'SKIPPED', 'SKIPPED'],
    });
    expect(await execute(id, 1)).toBe(true);
    expect(await stateOf(id)).toMatchObject({
      state: ['PENDING', 'WAITING_CONFIRMATIONS'],
      steps: ['CONFIRMED', 'SUBMITTED', 'PENDING'],
      delivery: { phase: 'ACTIVE' },
    });
  });
});

describe('a withdrawal to another chain that pays a fee on its profit', () => {
  it('waits for its transfer to be sent, whether the fee is paid or not', async () => {
    const action = await pendingAction('withdrawWithFee', ['CONFIRMED']);
    await settle(action, 0);
    expect((await stateOf(action.id)).state).toEqual(['PENDING', 'WAITING_ORIGIN']);
    await setStep(action.id, 1, { status: 'CONFIRMED' });
    await settle(action, 1);
    expect((await stateOf(action.id)).state).toEqual(['PENDING', 'WAITING_ORIGIN']);
  });

  it('that fails once its transfer has arrived ends as partial at the latest when the fee is overdue', async () => {
    const { id } = await pendingAction('withdrawWithFee', [], -1000);
    await execute(id, 0);
    await setStep(id, 2, { status: 'CONFIRMED' });
    await setStep(id, 3, { status: 'CONFIRMED' });
    await end(id, 0, 'FAILED');
    expect((await stateOf(id)).state[0]).toBe('PENDING');
    expect(await expireActions(test)).toBe(1);
    const { state, steps, failureReason } = await stateOf(id);
    expect(state).toEqual(['FAILED', 'PARTIAL']);
    expect(steps).toEqual(['FAILED', 'SKIPPED', 'CONFIRMED', 'CONFIRMED']);
    expect(failureReason).toContain('The transfer to the other chain was made');
  });
});

describe('a transaction that its chain has lost', () => {
  it('is awaited again by the action, as what the wallet has to send', async () => {
    const tracker = await openScriptedTracker();
    const lost = transfersWithinActions(() => tracker.test);
    try {
      await tracker.pass();
      const { id } = await lost.pendingAction('withdraw', ['CONFIRMED']);
      await lost.execute(id, 1);
      const [step] = await submittedSteps(tracker.deps, ORIGIN, {});
      await resetReorgedStep(tracker.deps, step!);
      expect(await lost.stateOf(id)).toMatchObject({
        state: ['PENDING', 'WAITING_ORIGIN'],
        steps: ['CONFIRMED', 'PENDING', 'PENDING'],
      });
      const deposit = await lost.pendingAction('lend', ['CONFIRMED', 'CONFIRMED', 'PENDING']);
      const substatus = await tracker.test.database.$transaction((tx) =>
        substatusAfterLoss(tx, { actionId: deposit.id, customerId: deposit.customerId }),
      );
      expect(substatus).toBe('DEPOSIT_REQUIRED');
    } finally {
      await tracker.stop();
    }
  });
});

/** Ends a step of the origin chain as its tracker does. */
async function end(id: string, stepIndex: number, outcome: 'CONFIRMED' | 'FAILED') {
  const steps = await submittedSteps(
    { database: test.database, log: { info: jest.fn(), warn: jest.fn() } },
    ORIGIN,
    {},
  );
  const step = steps.find((each) => each.actionId === id && each.stepIndex === stepIndex)!;
  if (outcome === 'FAILED')
    return failRevertedStep(test.database, step, { reason: 'not enough liquidity', substatus: undefined });
  return recordConfirmedStep(test.database, step, { spent: undefined, received: undefined });
}

describe('the transfer of a withdrawal that was not made', () => {
  it('is followed to its end when the withdrawal fails beside it, and the action then states what failed', async () => {
    const { id } = await pendingAction('withdraw', []);
    await execute(id, 0);
    await execute(id, 1);
    await end(id, 0, 'FAILED');
    expect(await stateOf(id)).toMatchObject({ state: ['PENDING', expect.anything()], delivery: { phase: 'ACTIVE' } });
    await end(id, 1, 'CONFIRMED');
    await pollWith(test.database, id, { state: delivered() });
    const ended = await stateOf(id);
    expect(ended).toMatchObject({ state: ['FAILED', 'PARTIAL'], steps: ['FAILED', 'CONFIRMED', 'CONFIRMED'] });
    expect(ended.failureReason).toContain('(WITHDRAW) failed, the others succeeded: not enough liquidity');
    expect(ended.amountOut).toBe(99_000_000n);
  });

  it.each([
    ['before it is final itself', [0, 1]],
    ['after it was final itself', [1, 0]],
  ] as const)('has the same end when the withdrawal fails once it has arrived, %s', async (_, order) => {
    const { id } = await pendingAction('withdraw', []);
    await execute(id, 0);
    await execute(id, 1);
    await setStep(id, 2, { status: 'CONFIRMED' });
    const states = [];
    for (const stepIndex of order) {
      await end(id, stepIndex, stepIndex === 0 ? 'FAILED' : 'CONFIRMED');
      states.push((await stateOf(id)).state);
    }
    expect(states).toEqual([
      ['PENDING', 'WAITING_CONFIRMATIONS'],
      ['FAILED', 'PARTIAL'],
    ]);
    const { steps, failureReason } = await stateOf(id);
    expect(steps).toEqual(['FAILED', 'CONFIRMED', 'CONFIRMED']);
    expect(failureReason).toContain('(WITHDRAW) failed, the others succeeded: not enough liquidity');
  });

  it('is followed when it is recorded while the withdrawal is found to have failed', async () => {
    const { id } = await pendingAction('withdraw', []);
    await execute(id, 0);
    const { failing } = await test.database.$transaction(async (tx) => {
      await recordExecution(tx, someExecution(id, 1, ORIGIN));
      const failing = end(id, 0, 'FAILED');
      await untilBlocked(test);
      return { failing };
    });
    await failing;
    expect(await stateOf(id)).toMatchObject({
      state: ['PENDING', 'WAITING_CONFIRMATIONS'],
      steps: ['FAILED', 'SUBMITTED', 'PENDING'],
      delivery: { phase: 'ACTIVE' },
    });
  });

  it('is followed when it is sent after the withdrawal has failed, and a repeated withdrawal still completes the action', async () => {
    const { id } = await pendingAction('withdraw', []);
    await execute(id, 0);
    await end(id, 0, 'FAILED');
    expect((await stateOf(id)).state[0]).toBe('FAILED');
    expect(await execute(id, 1)).toBe(true);
    expect(await stateOf(id)).toMatchObject({
      state: ['PENDING', 'WAITING_CONFIRMATIONS'],
      steps: ['FAILED', 'SUBMITTED', 'PENDING'],
      delivery: { phase: 'ACTIVE' },
    });
    await end(id, 1, 'CONFIRMED');
    expect(await execute(id, 0)).toBe(true);
    await end(id, 0, 'CONFIRMED');
    await pollWith(test.database, id, { state: delivered() });
    expect(await stateOf(id)).toMatchObject({
      state: ['SUCCESS', null],
      steps: ['CONFIRMED', 'CONFIRMED', 'CONFIRMED'],
    });
  });

  it('does not expire while it is in transit, although the withdrawal is not seen', async () => {
    const { id } = await pendingAction('withdraw', ['PENDING', 'CONFIRMED', 'PENDING'], -1000);
    expect(await expireActions(test)).toBe(0);
    await setStep(id, 2, { status: 'CONFIRMED' });
    expect(await expireActions(test)).toBe(1);
    const { state, failureReason } = await stateOf(id);
    expect(state).toEqual(['FAILED', 'PARTIAL']);
    expect(failureReason).toContain('The transfer to the other chain was made');
    expect(await execute(id, 0)).toBe(true);
    await end(id, 0, 'CONFIRMED');
    expect((await stateOf(id)).state[0]).toBe('SUCCESS');
  });

  it('is resumed by the next poll when its action has failed all the same', async () => {
    const { id } = await pendingAction('withdraw', []);
    await execute(id, 0);
    await end(id, 0, 'FAILED');
    await setStep(id, 1, { status: 'CONFIRMED' });
    await test.database.delivery.update({ where: { actionId: id }, data: { phase: 'ACTIVE', nextPollAt: new Date() } });
    await pollWith(test.database, id, { state: delivered() });
    expect(await stateOf(id)).toMatchObject({
      state: ['PENDING', 'WAITING_DESTINATION'],
      delivery: { phase: 'ACTIVE' },
    });
    await pollWith(test.database, id, { state: delivered() });
    expect(await stateOf(id)).toMatchObject({
      state: ['FAILED', 'PARTIAL'],
      steps: ['FAILED', 'CONFIRMED', 'CONFIRMED'],
    });
  });

  it('that the provider could not carry out, is not resumed by a late withdrawal', async () => {
    const { id } = await pendingAction('withdraw', []);
    await execute(id, 1);
    await end(id, 1, 'CONFIRMED');
    await pollWith(test.database, id, { state: { status: 'failed', reason: 'no relayer filled it' } });
    expect((await stateOf(id)).steps).toEqual(['SKIPPED', 'CONFIRMED', 'FAILED']);
    expect(await execute(id, 0)).toBe(false);
  });
});
