import { deliveredAmounts } from '../../src/actions/amounts/delivered-amounts';
import { pollTaskOf } from '../../src/actions/delivery/poll-task';
import { recordRefund } from '../../src/actions/delivery/record-refund';
import { readTransferAction } from '../../src/actions/delivery/transfer-action';
import { expireActions } from '../../src/actions/state/expire-actions';
import { recordExecution } from '../../src/actions/state/record-execution';
import { settleConfirmedStep } from '../../src/actions/state/settle-confirmed-step';
import { toBaseUnits } from '../../src/money/base-units';
import type { StepStatus } from '../../src/persistence/client/enums';
import { findArrivedDeposit, saveDepositTerms } from '../../src/strategies/operations/arrived-deposit';
import type { PlannedStep } from '../../src/transactions/action-plan';
import { ALICE, newCustomer, sampleToken } from '../actions/sample-action';
import { BRIDGE, createSampleTransfer, someHash } from '../actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { rejection } from '../swaps/swap-world';

const [ORIGIN, DESTINATION] = [31337, 31338];
const STRATEGY = 'Aave-USDC-devnet-l2';
const [SOLD, MINIMUM] = [100_000_000n, 98_000_000n];

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const user = { operator: 'USER' as const };
const provider = { operator: 'PROVIDER' as const, protocol: BRIDGE };
const STEPS = {
  lend: [
    { kind: 'BRIDGE', ...user, protocol: BRIDGE, chainId: ORIGIN },
    { kind: 'BRIDGE', ...provider, chainId: DESTINATION },
    { kind: 'DEPOSIT', ...user, protocol: 'aave-v3', chainId: DESTINATION },
  ],
  withdraw: [
    { kind: 'WITHDRAW', ...user, protocol: 'aave-v3', chainId: ORIGIN },
    { kind: 'BRIDGE', ...user, protocol: BRIDGE, chainId: ORIGIN },
    { kind: 'BRIDGE', ...provider, chainId: DESTINATION },
  ],
} as const satisfies Record<string, readonly PlannedStep[]>;

const USDC = sampleToken('USDC', { chainId: DESTINATION });
const RECEIPT = sampleToken('aUSDC', { chainId: DESTINATION, address: ALICE });

/** A pending deposit of tokens of another chain, or withdrawal to one, with these states of its steps. */
async function pendingAction(kind: keyof typeof STEPS, statuses: readonly StepStatus[], expiresInMs = 3_600_000) {
  const [originStep, destinationStep] = kind === 'lend' ? [0, 1] : [1, 2];
  const terms = {
    tokenIn: sampleToken('USDC', { chainId: ORIGIN }),
    tokenOut: USDC,
    amountIn: SOLD,
    amountOut: 99_000_000n,
    minAmountOut: MINIMUM,
    receiverAddress: ALICE,
  };
  const sample = await createSampleTransfer(test.database, {
    type: kind === 'lend' ? 'CROSSCHAIN_INVESTMENT_DEPOSIT' : 'CROSSCHAIN_INVESTMENT_WITHDRAW',
    strategy: { id: STRATEGY, slug: STRATEGY.toLowerCase() },
    steps: STEPS[kind],
    ...(kind === 'lend' ? { tokenOut: RECEIPT, amountOut: toBaseUnits(1n), minAmountOut: toBaseUnits(1n) } : {}),
    expiresAt: new Date(Date.now() + expiresInMs),
    delivery: { provider: BRIDGE, part: { originStep, destinationStep, terms } },
  });
  await test.database.action.update({ where: { id: sample.id }, data: { status: 'PENDING' } });
  for (const [stepIndex, status] of statuses.entries())
    await test.database.actionStep.updateMany({ where: { actionId: sample.id, stepIndex }, data: { status } });
  return sample;
}

const settle = (id: string, stepIndex: number, arrived?: bigint) =>
  test.database.$transaction((tx) =>
    settleConfirmedStep(
      tx,
      { actionId: id, stepIndex, txHash: undefined },
      { spent: undefined, received: undefined, arrived },
    ),
  );

const execute = (id: string, stepIndex: number, chainId: number) => {
  const block = { number: 1n, hash: someHash(), timestamp: BigInt(Math.floor(Date.now() / 1000)) };
  return test.database.$transaction((tx) =>
    recordExecution(tx, { actionId: id, stepIndex, chainId, txHash: someHash(), block }),
  );
};

const stateOf = async (id: string) => {
  const include = { steps: { orderBy: { stepIndex: 'asc' as const } }, delivery: true };
  const { status, substatus, failureReason, steps, delivery, amountOut } = await test.database.action.findUniqueOrThrow(
    { where: { id }, include },
  );
  return {
    state: [status, substatus],
    failureReason,
    steps: steps.map((step) => step.status),
    protocols: steps.map(({ protocol }) => protocol),
    delivery,
    amountOut: BigInt(amountOut.toFixed()),
  };
};

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
    const { id } = await pendingAction('lend', ['CONFIRMED', 'CONFIRMED', 'PENDING']);
    await settle(id, 1, 98_500_000n);
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
    const { id: actionId, customerId } = await pendingAction('lend', ['CONFIRMED', 'PENDING', 'PENDING']);
    const own = { customerId, actionId, strategyId: STRATEGY, wallet: ALICE };
    const find = (changes: Partial<typeof own> = {}) => findArrivedDeposit(test.database, { ...own, ...changes });
    expect(await rejection(find())).toMatchObject({ code: 'LENDING_BAD_REQUEST', details: { kind: 'NOT_ARRIVED' } });
    await settle(actionId, 1, 98_500_000n);
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

describe('a withdrawal to another chain', () => {
  it('polls its provider once the transfer was sent, not after the withdrawal', async () => {
    const { id } = await pendingAction('withdraw', ['PENDING', 'PENDING', 'PENDING']);
    await execute(id, 0, ORIGIN);
    expect((await stateOf(id)).delivery?.phase).toBe('AWAITING_ORIGIN');
    await test.database.actionStep.updateMany({ where: { actionId: id, stepIndex: 0 }, data: { status: 'CONFIRMED' } });
    await settle(id, 0);
    expect((await stateOf(id)).state).toEqual(['PENDING', 'WAITING_ORIGIN']);
    await execute(id, 1, ORIGIN);
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
    expect(await execute(id, 1, ORIGIN)).toBe(true);
    expect(await stateOf(id)).toMatchObject({
      state: ['PENDING', 'WAITING_CONFIRMATIONS'],
      steps: ['CONFIRMED', 'SUBMITTED', 'PENDING'],
      delivery: { phase: 'ACTIVE' },
    });
  });
});
