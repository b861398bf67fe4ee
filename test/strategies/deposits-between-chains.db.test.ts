import { deliveredAmounts } from '../../src/actions/amounts/delivered-amounts';
import { pollTaskOf } from '../../src/actions/delivery/poll-task';
import { recordRefund } from '../../src/actions/delivery/record-refund';
import { readTransferAction } from '../../src/actions/delivery/transfer-action';
import { expireActions } from '../../src/actions/state/expire-actions';
import { findArrivedDeposit, saveDepositTerms } from '../../src/strategies/operations/arrived-deposit';
import { ALICE, newCustomer } from '../actions/sample-action';
import { BRIDGE, someHash } from '../actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { rejection } from '../swaps/swap-world';
import { DESTINATION, MINIMUM, ORIGIN, SOLD, STRATEGY, transfersWithinActions, USDC } from './transfers-within-actions';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const { pendingAction, settle, execute, stateOf } = transfersWithinActions(() => test);

describe('a deposit of tokens of another chain', () => {
  it('is delivered by the terms of the transfer, not those of the deposit', async () => {
    const { id } = await pendingAction('lend', ['CONFIRMED', 'PENDING', 'PENDING']);
    const transfer = await readTransferAction(test.database, id);
    expect(transfer).toMatchObject({
      receiverAddress: ALICE,
      tokenOut: USDC.address,
      minAmountOut: MINIMUM,
      endsAction: false,
      destination: { stepIndex: 1 },
    });
    expect(pollTaskOf(transfer, { deposit: undefined, checkpoint: undefined, pollCount: 1 })).toBe('follow');
  });

  it('waits for the wallet once its tokens have arrived, and polls its provider no more', async () => {
    const action = await pendingAction('lend', ['CONFIRMED', 'CONFIRMED', 'PENDING']);
    const { id } = action;
    await settle({ id, customerId: newCustomer() }, 1, 1n);
    expect((await stateOf(id)).delivery?.arrivedAmount).toBeNull();
    await settle(action, 1, 98_500_000n);
    const { state, delivery, amountOut } = await stateOf(id);
    expect(state).toEqual(['PENDING', 'DEPOSIT_REQUIRED']);
    expect(delivery?.arrivedAmount?.toFixed()).toBe('98500000');
    expect(amountOut).toBe(1n);
    const transfer = await readTransferAction(test.database, id);
    expect(pollTaskOf(transfer, { deposit: undefined, checkpoint: undefined, pollCount: 1 })).toBe('end');
  });

  it('uses the whole delivery, also less than the minimum, but never another token', () => {
    const terms = { unitOut: USDC, minAmountOut: MINIMUM, endsAction: false };
    expect(deliveredAmounts(terms, { arrived: 5n, flaw: undefined })).toEqual({
      spent: undefined,
      received: undefined,
      arrived: 5n,
    });
    expect(deliveredAmounts(terms, { arrived: 5n, flaw: 'Another token arrived' }).shortfall).toContain(
      'Another token',
    );
    expect(deliveredAmounts(terms, { arrived: undefined, flaw: undefined }).shortfall).toContain('Only 0 USDC');
    expect(deliveredAmounts({ ...terms, endsAction: true }, { arrived: 5n, flaw: undefined }).shortfall).toContain(
      'Only',
    );
  });

  it('that the wallet never makes fails, and says where the tokens are; a late deposit still ends it rightly', async () => {
    const { id } = await pendingAction('lend', ['CONFIRMED', 'CONFIRMED', 'PENDING'], -1000);
    expect(await expireActions(test)).toBe(1);
    const failed = await stateOf(id);
    expect(failed).toMatchObject({ state: ['FAILED', 'PARTIAL'], steps: ['CONFIRMED', 'CONFIRMED', 'SKIPPED'] });
    expect(failed.failureReason).toContain('What they moved is in the wallet');
    expect(await execute(id, 2, DESTINATION)).toBe(true);
    expect(await stateOf(id)).toMatchObject({
      state: ['PENDING', 'WAITING_CONFIRMATIONS'],
      steps: ['CONFIRMED', 'CONFIRMED', 'SUBMITTED'],
    });
  });

  it('does not fail while its tokens are in transit', async () => {
    const { id } = await pendingAction('lend', ['CONFIRMED', 'PENDING', 'PENDING'], -1000);
    expect(await expireActions(test)).toBe(0);
    expect((await stateOf(id)).state[0]).toBe('PENDING');
  });

  it('ends as refunded when the provider returns the tokens', async () => {
    const { id } = await pendingAction('lend', ['CONFIRMED', 'PENDING', 'PENDING']);
    const transfer = await readTransferAction(test.database, id);
    const block = { number: 2n, hash: someHash(), timestamp: 2n };
    const refund = { chainId: ORIGIN, txHash: someHash(), amount: undefined, total: SOLD, block };
    const isRefunded = await test.database.$transaction((tx) =>
      recordRefund(tx, transfer, { kind: 'refunded', refund, reason: 'no relayer filled it' }),
    );
    expect(isRefunded).toBe(true);
    expect(await stateOf(id)).toMatchObject({
      state: ['REFUNDED', 'REFUND_SENT'],
      steps: ['CONFIRMED', 'SKIPPED', 'SKIPPED', 'CONFIRMED'],
      protocols: [BRIDGE, BRIDGE, 'aave-v3', BRIDGE],
    });
    expect(await execute(id, 2, DESTINATION)).toBe(false);
  });

  it('is found by its customer and wallet alone, once its tokens are there, until it is sent', async () => {
    const action = await pendingAction('lend', ['CONFIRMED', 'PENDING', 'PENDING']);
    const { id: actionId, customerId } = action;
    const own = { customerId, actionId, strategyId: STRATEGY, wallet: ALICE };
    const find = (changes: Partial<typeof own> = {}) => findArrivedDeposit(test.database, { ...own, ...changes });
    expect(await rejection(find())).toMatchObject({ code: 'LENDING_BAD_REQUEST', details: { kind: 'NOT_ARRIVED' } });
    await settle(action, 1, 98_500_000n);
    expect(await find()).toMatchObject({ arrived: 98_500_000n, stepIndex: 2, chainIdIn: ORIGIN, hasFee: false });
    for (const changes of [{ customerId: newCustomer() }, { wallet: USDC.address }, { strategyId: 'Other' }])
      expect(await rejection(find(changes))).toMatchObject({ code: 'ACTION_NOT_FOUND' });
    const terms = { amountOut: 98_400_000n, minAmountOut: 98_300_000n, hasFeeStep: false };
    const save = () => test.database.$transaction((tx) => saveDepositTerms(tx, { customerId, actionId }, terms));
    expect(await save()).toBe(true);
    expect((await stateOf(actionId)).amountOut).toBe(98_400_000n);
    await test.database.actionStep.updateMany({ where: { actionId, stepIndex: 1 }, data: { status: 'CONFIRMED' } });
    await execute(actionId, 2, DESTINATION);
    expect(await save()).toBe(false);
    expect(await rejection(find())).toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
