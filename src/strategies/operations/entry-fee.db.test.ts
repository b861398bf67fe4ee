import { ALICE } from '../../../test/actions/sample-action';
import { someHash } from '../../../test/actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import {
  DESTINATION,
  entryFees,
  someExecution,
  STRATEGY,
  transfersWithinActions,
  USDC,
} from '../../../test/strategies/transfers-within-actions';
import { registerCalls } from '../../actions/register-calls';
import { recordExecution } from '../../actions/state/record-execution';
import type { StepStatus } from '../../persistence/client/enums';
import { slugOf } from '../catalog/merge-rows';
import { findArrivedDeposit } from './arrived-deposit';
import { isFeeUnchanged, saveEntryFee } from './entry-fee';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const { pendingAction, setStep, settle, execute, stateOf } = transfersWithinActions(() => test);

const pendingDeposit = () => pendingAction('lendWithFee', ['CONFIRMED', 'CONFIRMED', 'PENDING', 'PENDING']);

const feeCall = {
  stepIndex: 3,
  form: 'CALL' as const,
  chainId: DESTINATION,
  sender: ALICE,
  target: USDC.address,
  data: '0x03' as const,
  value: 0n,
};

describe('the entry fee of delivered tokens', () => {
  it('in several forms is stated as paid: that of a transfer, of a user operation, and of both', async () => {
    const action = await pendingDeposit();
    const { id: actionId, customerId } = action;
    const form = { ...feeCall, fees: entryFees('900000').breakdown };
    const operation = { ...feeCall, stepIndex: 2, form: 'USER_OPERATION' as const, data: '0x05' as const };
    const calls = [form, { ...operation, fees: entryFees('800000').breakdown }];
    await test.database.$transaction((tx) => registerCalls(tx, { actionId, customerId, calls }));
    const idOf = async (stepIndex: number) =>
      (await test.database.actionCall.findFirstOrThrow({ where: { actionId, stepIndex } })).id;
    expect((await stateOf(actionId)).fees).toEqual(entryFees('985000'));
    await execute(actionId, 3, { callId: await idOf(3) });
    expect((await stateOf(actionId)).fees).toEqual(entryFees('900000'));
    await execute(actionId, 2, { callId: await idOf(2), userOperationHash: someHash() });
    const both = [...entryFees('800000').breakdown, ...entryFees('900000').breakdown];
    expect((await stateOf(actionId)).fees).toMatchObject({ total: '1.700000', breakdown: both });
  });

  it('states no fee of a transaction that reverted, nor of one whose call belongs to another action', async () => {
    const [own, other] = [await pendingDeposit(), await pendingDeposit()];
    const callIds: string[] = [];
    for (const { id: actionId, customerId } of [own, other]) {
      const calls = [{ ...feeCall, fees: entryFees('100000').breakdown }];
      await test.database.$transaction((tx) => registerCalls(tx, { actionId, customerId, calls }));
      callIds.push((await test.database.actionCall.findFirstOrThrow({ where: { actionId } })).id);
    }
    await execute(own.id, 3, { callId: callIds[1]! });
    expect((await stateOf(own.id)).fees).toEqual(entryFees('985000'));
    const reverted = { ...someExecution(other.id, 3, DESTINATION), reverted: true, callId: callIds[1]! };
    await test.database.$transaction((tx) => recordExecution(tx, reverted));
    expect((await stateOf(other.id)).fees).toEqual(entryFees('985000'));
  });

  describe('whose deposit was requested with it and without it', () => {
    /** A deposit with a transfer of its fee, and one without; the last request was for the second. */
    async function twoForms() {
      const action = await pendingDeposit();
      const { id: actionId, customerId } = action;
      const deposit = { ...feeCall, stepIndex: 2 };
      const calls = {
        paying: { ...deposit, value: 1n },
        fee: { ...feeCall, value: 2n, fees: entryFees('985000').breakdown },
        free: { ...deposit, value: 3n, fees: [] },
      };
      await test.database.$transaction(async (tx) => {
        await registerCalls(tx, { actionId, customerId, calls: Object.values(calls) });
        const form = { actionId, stepIndex: 2, paidFee: undefined };
        await saveEntryFee(tx, form, { customerId, fees: [] });
      });
      return {
        actionId,
        /** Sends one of the calls, which is final at once. */
        async end(name: keyof typeof calls) {
          const { stepIndex, value } = calls[name];
          const where = { actionId, value: value.toString() };
          const { id: callId } = await test.database.actionCall.findFirstOrThrow({ where });
          expect(await execute(actionId, stepIndex, { callId })).toBe(true);
          await setStep(actionId, stepIndex, { status: 'CONFIRMED' });
          await settle(action, stepIndex);
          const { state, steps, fees } = await stateOf(actionId);
          return { status: state[0], steps: steps.slice(2), fees };
        },
      };
    }

    it('is awaited when the deposit with it was sent, also when that is final before its transfer is mined', async () => {
      const { end } = await twoForms();
      expect(await end('paying')).toMatchObject({ status: 'PENDING', steps: ['CONFIRMED', 'PENDING'] });
      expect(await end('fee')).toEqual({
        status: 'SUCCESS',
        steps: ['CONFIRMED', 'CONFIRMED'],
        fees: entryFees('985000'),
      });
    });

    it('is skipped when the deposit without it was sent', async () => {
      const { end } = await twoForms();
      expect(await end('free')).toMatchObject({
        status: 'SUCCESS',
        steps: ['CONFIRMED', 'SKIPPED'],
        fees: { breakdown: [] },
      });
    });

    it('is stated as paid also by a call of an earlier version, which does not say which fee it pays', async () => {
      const { id: actionId, customerId } = await pendingDeposit();
      const deposit = { actionId, stepIndex: 2, paidFee: undefined };
      await test.database.$transaction(async (tx) => {
        const calls = [feeCall, { ...feeCall, stepIndex: 2, value: 1n }];
        await registerCalls(tx, { actionId, customerId, calls });
        for (const fees of [entryFees('100000').breakdown, []]) await saveEntryFee(tx, deposit, { customerId, fees });
      });
      expect((await stateOf(actionId)).fees).toMatchObject({ breakdown: [] });
      const where = { actionId, stepIndex: 3 };
      const { id: callId } = await test.database.actionCall.findFirstOrThrow({ where });
      await execute(actionId, 3, { callId });
      expect((await stateOf(actionId)).fees).toEqual(entryFees('985000'));
    });
  });

  it('is found as paid once its transfer was mined before the deposit, whether final or not, but none that reverted', async () => {
    const action = await pendingDeposit();
    await settle(action, 1, { arrived: 98_500_000n });
    const { id: actionId, customerId } = action;
    const paidFee = async () =>
      (await findArrivedDeposit(test.database, { customerId, actionId, slugs: [slugOf(STRATEGY)], wallet: ALICE }))
        .paidFee;
    const setFee = (data: { readonly status: StepStatus; readonly reverted: boolean }) =>
      test.database.actionStep.updateMany({ where: { actionId, stepIndex: 3 }, data });
    expect(await paidFee()).toBeUndefined();
    for (const [status, reverted, paid] of [
      ['SUBMITTED', false, 985_000n],
      ['SUBMITTED', true, undefined],
      ['FAILED', true, undefined],
      ['CONFIRMED', false, 985_000n],
    ] as const) {
      await setFee({ status, reverted });
      expect(await paidFee()).toBe(paid);
      const isUnchanged = await test.database.$transaction((tx) =>
        isFeeUnchanged(tx, { actionId, stepIndex: 2, paidFee: undefined }, customerId),
      );
      expect(isUnchanged).toBe(paid === undefined);
    }
  });
});
