import { deliveredAmounts } from '../../src/actions/amounts/delivered-amounts';
import { pollTaskOf } from '../../src/actions/delivery/poll-task';
import { recordRefund } from '../../src/actions/delivery/record-refund';
import { readTransferAction } from '../../src/actions/delivery/transfer-action';
import { expireActions } from '../../src/actions/state/expire-actions';
import { registerCalls } from '../../src/actions/register-calls';
import { changeStatus } from '../../src/actions/state/change-status';
import { recordExecution } from '../../src/actions/state/record-execution';
import { toBaseUnits } from '../../src/money/base-units';
import type { ExpectedCall } from '../../src/transactions/action-plan';
import type { DeliveryState } from '../../src/venues/delivery-source';
import { slugOf } from '../../src/strategies/catalog/merge-rows';
import { findArrivedDeposit, saveDepositTerms } from '../../src/strategies/operations/arrived-deposit';
import { ALICE, newCustomer } from '../actions/sample-action';
import { delivered, deskOf, poll, pollWith } from '../actions/delivery-desk';
import { BRIDGE, type SampleTransfer, scriptedSource, someHash } from '../actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { untilBlocked } from '../setup/until-blocked';
import { rejection } from '../swaps/swap-world';
import {
  DESTINATION,
  MINIMUM,
  ORIGIN,
  SOLD,
  someExecution,
  STRATEGY,
  transfersWithinActions,
  USDC,
} from './transfers-within-actions';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const { pendingAction, setStep, settle, execute, stateOf } = transfersWithinActions(() => test);

const DAY_AGO = new Date(Date.now() - 86_400_000);

interface StepTimes {
  readonly mined: Date | null;
  readonly recorded: Date;
}
const LONG_AGO: StepTimes = { mined: DAY_AGO, recorded: DAY_AGO };

/** Sets when a step was mined, and when it was recorded last; without a step, those of all. */
const setTimes = (actionId: string, { mined, recorded }: StepTimes, stepIndex?: number) =>
  test.database.$executeRaw`
    UPDATE "ActionStep" SET "minedAt" = ${mined}, "updatedAt" = ${recorded}
     WHERE "actionId" = ${actionId}::uuid AND "stepIndex" = coalesce(${stepIndex ?? null}::int, "stepIndex")`;

const saveTerms = ({ id: actionId, customerId }: SampleTransfer) => {
  const terms = { amountOut: 98_400_000n, minAmountOut: 98_300_000n };
  return test.database.$transaction((tx) => saveDepositTerms(tx, { customerId, actionId }, terms));
};

/**
 * Makes the search for unfinished actions wait for `lock`, after it has taken its snapshot of the steps and before it locks an
 * action. Every other statement goes on.
 */
const HELD_SEARCH = (lock: number): readonly string[] => [
  `INSERT INTO "ChainTracker" ("chainId", "leaseOwner", "leaseUntil", "caughtUpAt")
   VALUES (${String(DESTINATION)}, gen_random_uuid(), now(), now() + interval '1 hour')`,
  'ALTER TABLE "ChainTracker" RENAME TO "ChainTrackerRow"',
  `CREATE FUNCTION hold() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
     IF current_query() LIKE '%CROSSCHAIN%' THEN PERFORM pg_advisory_xact_lock_shared(${String(lock)}); END IF;
     RETURN true;
   END $$`,
  // OFFSET: the conditions of a query on the view are checked after its own.
  'CREATE VIEW "ChainTracker" AS SELECT * FROM "ChainTrackerRow" WHERE hold() OFFSET 0',
];

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
    await settle(action, 1, { arrived: 98_500_000n });
    const { state, delivery, amountOut } = await stateOf(id);
    expect(state).toEqual(['PENDING', 'DEPOSIT_REQUIRED']);
    expect(delivery?.arrivedAmount?.toFixed()).toBe('98500000');
    expect(amountOut).toBe(1n);
    const transfer = await readTransferAction(test.database, id);
    expect(pollTaskOf(transfer, { deposit: undefined, checkpoint: undefined, pollCount: 1 })).toBe('end');
  });

  it.each([
    ['an amount', { arrived: 1n, received: 5n, spent: 5n }],
    ['a shortfall', { shortfall: 'Too little arrived' }],
  ])('is not changed by %s in the name of another customer', async (_, moved) => {
    for (const last of ['PENDING', 'CONFIRMED'] as const) {
      const { id } = await pendingAction('lend', ['CONFIRMED', 'CONFIRMED', last]);
      const before = await stateOf(id);
      await settle({ id, customerId: newCustomer() }, 1, moved);
      expect(await stateOf(id)).toEqual(before);
    }
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
    await setTimes(id, LONG_AGO);
    expect(await expireActions(test)).toBe(1);
    const failed = await stateOf(id);
    expect(failed).toMatchObject({ state: ['FAILED', 'PARTIAL'], steps: ['CONFIRMED', 'CONFIRMED', 'SKIPPED'] });
    expect(failed.failureReason).toContain('The wallet has the tokens');
    expect(await execute(id, 2)).toBe(true);
    expect(await stateOf(id)).toMatchObject({
      state: ['PENDING', 'WAITING_CONFIRMATIONS'],
      steps: ['CONFIRMED', 'CONFIRMED', 'SUBMITTED'],
    });
  });

  it.each([
    ['a delivery that was mined just now', 1, { mined: new Date(), recorded: DAY_AGO }],
    ['a delivery that was mined long ago and is final only now', 1, { mined: DAY_AGO, recorded: new Date() }],
    ['an origin that is final only now, long after its delivery', 0, { mined: DAY_AGO, recorded: new Date() }],
    ['a deposit that its chain has lost', 2, { mined: null, recorded: new Date() }],
  ])('has its whole time after %s', async (_, stepIndex, times) => {
    const { id } = await pendingAction('lend', ['CONFIRMED', 'CONFIRMED', 'PENDING'], -1000);
    await test.database.action.update({ where: { id }, data: { createdAt: new Date(Date.now() - 3_600_000) } });
    await setTimes(id, LONG_AGO);
    await setTimes(id, times, stepIndex);
    expect(await expireActions(test)).toBe(0);
    await setTimes(id, LONG_AGO);
    expect(await expireActions(test)).toBe(1);
  });

  it('never counts what its provider says to have delivered: only what the chain shows', async () => {
    const { id } = await pendingAction('lend', ['CONFIRMED', 'PENDING', 'PENDING']);
    await test.database.delivery.update({ where: { actionId: id }, data: { phase: 'ACTIVE', nextPollAt: new Date() } });
    const source = scriptedSource();
    const unnamed: DeliveryState = {
      status: 'delivered',
      txHash: undefined,
      amount: toBaseUnits(10n ** 12n),
      partial: false,
    };
    source.respondWith(unnamed);
    const desk = deskOf(test.database, source);
    await poll({ ...desk, rpc: { serves: () => true } as unknown as typeof desk.rpc }, id);
    await pollWith(test.database, id, { state: delivered() });
    const { state, steps, delivery } = await stateOf(id);
    expect([state, steps]).toEqual([
      ['PENDING', 'WAITING_DESTINATION'],
      ['CONFIRMED', 'PENDING', 'PENDING'],
    ]);
    expect(delivery).toMatchObject({ phase: 'ACTIVE', arrivedAmount: null });
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
    expect(await execute(id, 2)).toBe(false);
  });

  it('is found by its customer and wallet alone, once its tokens are there, until it is sent', async () => {
    const action = await pendingAction('lend', ['CONFIRMED', 'PENDING', 'PENDING']);
    const { id: actionId, customerId } = action;
    const own = { customerId, actionId, slugs: ['renamed', slugOf(STRATEGY)], wallet: ALICE };
    const find = (changes: Partial<typeof own> = {}) => findArrivedDeposit(test.database, { ...own, ...changes });
    expect(await rejection(find())).toMatchObject({ code: 'LENDING_BAD_REQUEST', details: { kind: 'NOT_ARRIVED' } });
    await settle(action, 1, { arrived: 98_500_000n });
    expect(await find()).toMatchObject({ arrived: 98_500_000n, stepIndex: 2, chainIdIn: ORIGIN, maxEntryBps: 0 });
    for (const changes of [{ customerId: newCustomer() }, { wallet: USDC.address }, { slugs: ['other'] }])
      expect(await rejection(find(changes))).toMatchObject({ code: 'ACTION_NOT_FOUND' });
    const save = () => saveTerms(action);
    expect(await save()).toBe(true);
    expect((await stateOf(actionId)).amountOut).toBe(98_400_000n);
    await test.database.actionStep.updateMany({ where: { actionId, stepIndex: 1 }, data: { status: 'CONFIRMED' } });
    await execute(actionId, 2);
    expect(await save()).toBe(false);
    expect(await rejection(find())).toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

describe('the end of the time for a deposit', () => {
  it('does not fail an action whose deposit was recorded while the search for unfinished actions ran', async () => {
    const held = await createTestDatabase();
    try {
      const actions = transfersWithinActions(() => held);
      const { id } = await actions.pendingAction('lend', ['CONFIRMED', 'CONFIRMED', 'PENDING'], -1000);
      const lock = 1;
      for (const statement of HELD_SEARCH(lock)) await held.pool.query(statement);
      const { expiring } = await held.database.$transaction(async (tx) => {
        await tx.$executeRaw`SELECT pg_advisory_xact_lock(${lock}::bigint)`;
        const expiring = expireActions(held);
        await untilBlocked(held);
        await recordExecution(tx, someExecution(id, 2, DESTINATION));
        return { expiring };
      });
      expect(await expiring).toBe(0);
      expect(await actions.stateOf(id)).toMatchObject({
        state: ['PENDING', 'WAITING_CONFIRMATIONS'],
        steps: ['CONFIRMED', 'CONFIRMED', 'SUBMITTED'],
      });
    } finally {
      await held.drop();
    }
  });
});

describe('a request for the deposit of delivered tokens', () => {
  it('that waits while the deposit is recorded changes nothing', async () => {
    const action = await pendingAction('lend', ['CONFIRMED', 'CONFIRMED', 'PENDING']);
    const saving = await test.database.$transaction(async (tx) => {
      await recordExecution(tx, someExecution(action.id, 2, DESTINATION));
      const isSaved = saveTerms(action);
      await untilBlocked(test);
      return { isSaved };
    });
    expect(await saving.isSaved).toBe(false);
    expect((await stateOf(action.id)).amountOut).toBe(1n);
  });

  const feeCall = {
    stepIndex: 3,
    form: 'CALL' as const,
    chainId: DESTINATION,
    sender: ALICE,
    target: USDC.address,
    data: '0x03' as const,
    value: 0n,
  };

  it.each([
    ['is awaited after separate calls', { calls: [feeCall] }, 'PENDING'],
    ['was paid by a user operation', { calls: [feeCall], userOperationHash: someHash() }, 'SUCCESS'],
    ['was paid by a late user operation', { calls: [feeCall], userOperationHash: someHash(), late: true }, 'SUCCESS'],
    ['is not paid below one unit', { calls: [] }, 'SUCCESS'],
  ])(
    'may name several forms: the entry fee %s',
    async (_, { calls, userOperationHash, late = false }: SentDeposit, status) => {
      const action = await pendingAction('lendWithFee', ['CONFIRMED', 'CONFIRMED', 'PENDING', 'PENDING']);
      const { id, customerId } = action;
      await test.database.$transaction(async (tx) => {
        await registerCalls(tx, { actionId: id, customerId, calls });
        if (late) await changeStatus(tx, id, { transition: 'failed' });
      });
      await execute(id, 2, { userOperationHash });
      await setStep(id, 2, { status: 'CONFIRMED' });
      await settle(action, 2);
      const { state, steps } = await stateOf(id);
      expect([state[0], steps[3]]).toEqual([status, status === 'PENDING' ? 'PENDING' : 'SKIPPED']);
    },
  );
});

interface SentDeposit {
  readonly calls: readonly ExpectedCall[];
  readonly userOperationHash?: string;
  readonly late?: boolean;
}
