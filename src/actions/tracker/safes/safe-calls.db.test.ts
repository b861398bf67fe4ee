import { type Address, getAddress, type Hex } from 'viem';
import {
  createSampleAction,
  historyOf,
  newCustomer,
  ROUTER,
  someCalldata,
} from '../../../../test/actions/sample-action';
import { safeState, safeTransaction, type ScriptedSafeCall } from '../../../../test/actions/scripted-safe';
import type { ScriptedTransaction } from '../../../../test/actions/scripted-chain';
import { openScriptedTracker, type ScriptedTracker, TOKEN } from '../../../../test/actions/scripted-tracker';
import type { CustomerId } from '../../../auth/principal';
import { isServiceError } from '../../../errors/service-error';
import { reportTransaction } from '../../report-transaction';
import { retryQuarantined } from '../retry-quarantined';

const SAFE_ACCOUNT = getAddress(`0x${'5a'.repeat(20)}`);
const APPROVE: Hex = `0x095ea7b3${'00'.repeat(64)}`;

let tracker: ScriptedTracker;
beforeEach(async () => {
  tracker = await openScriptedTracker();
  tracker.node.intercept = safeState(SAFE_ACCOUNT);
  await tracker.pass();
});
afterEach(() => tracker.stop());

interface SafeAction {
  readonly id: string;
  readonly customerId: CustomerId;
  readonly call: ScriptedSafeCall;
}

const approval: ScriptedSafeCall = { to: getAddress(TOKEN), data: APPROVE };

/** An action whose sender is a Safe. */
async function safeAction(customerId = newCustomer()): Promise<SafeAction> {
  const call = { to: ROUTER as Address, data: someCalldata() };
  const calls = [approval, call].map(({ to, data }) => ({ sender: SAFE_ACCOUNT, target: to, data }));
  const { id } = await createSampleAction(tracker.test.database, { customerId, originAddress: SAFE_ACCOUNT, calls });
  return { id, customerId, call };
}

const catchUp = async () => {
  while ((await tracker.pass()) === 'behind');
};
async function mine(...transactions: readonly ScriptedTransaction[]): Promise<Hex> {
  const [txHash] = tracker.node.mine(...transactions);
  await catchUp();
  return txHash!;
}
const finish = async () => {
  tracker.node.mine();
  await catchUp();
};
const stepOf = ({ id }: SafeAction) =>
  tracker.test.database.actionStep.findFirstOrThrow({ where: { actionId: id, stepIndex: 0 } });
const statusOf = ({ id }: SafeAction) => tracker.statusOf(id);
const executionOf = (...calls: readonly ScriptedSafeCall[]) => safeTransaction({ safe: SAFE_ACCOUNT, calls });

describe('an action of a Safe', () => {
  it('is executed by the transaction of an owner, to its end', async () => {
    const action = await safeAction();
    const txHash = await mine(executionOf(action.call));
    expect(await stepOf(action)).toMatchObject({ status: 'SUBMITTED', txHash, callIndex: 0 });
    await finish();
    expect(await historyOf(tracker.test.database, action.id)).toEqual([
      '>INITIAL WAITING_ORIGIN',
      'INITIAL>PENDING WAITING_CONFIRMATIONS',
      'PENDING>SUCCESS',
    ]);
  });

  it('is executed together with others and their approvals in one batch', async () => {
    const [one, other] = [await safeAction(), await safeAction()];
    const txHash = await mine(executionOf(approval, one.call, other.call));
    expect(await stepOf(one)).toMatchObject({ txHash, callIndex: 1 });
    expect(await stepOf(other)).toMatchObject({ txHash, callIndex: 2 });
    const approvals = await tracker.test.database.actionCall.findMany({ where: { kind: 'APPROVAL' } });
    expect(approvals.map(({ status }) => status)).toEqual(['CONFIRMED', 'CONFIRMED']);
    await finish();
    expect([await statusOf(one), await statusOf(other)]).toEqual(['SUCCESS', 'SUCCESS']);
  });

  it('fails when the calls of the Safe reverted, and follows a later transaction that made them', async () => {
    const action = await safeAction();
    await mine(safeTransaction({ safe: SAFE_ACCOUNT, calls: [action.call], outcome: 'failure' }));
    expect(await stepOf(action)).toMatchObject({ status: 'SUBMITTED', reverted: true });
    await finish();
    const failed = await tracker.test.database.action.findUniqueOrThrow({ where: { id: action.id } });
    expect(failed).toMatchObject({ status: 'FAILED', failureReason: 'The calls of the Safe reverted' });
    const txHash = await mine(executionOf(action.call));
    await finish();
    expect(await stepOf(action)).toMatchObject({ status: 'CONFIRMED', txHash });
    expect(await statusOf(action)).toBe('SUCCESS');
  });

  it('is not touched by a transaction that reverted: any account can send one', async () => {
    const action = await safeAction();
    await mine(safeTransaction({ safe: SAFE_ACCOUNT, calls: [approval, action.call], outcome: 'reverted' }));
    expect(await statusOf(action)).toBe('INITIAL');
    expect(await tracker.test.database.actionCall.count({ where: { status: { not: 'PENDING' } } })).toBe(0);
  });

  it.each<[string, Parameters<typeof safeState>[1]]>([
    ['has other code', { code: '0x60016001' }],
    ['delegates to another singleton', { singleton: ROUTER }],
  ])('is not executed by an account that resembles a Safe but %s', async (_, state) => {
    tracker.node.intercept = safeState(SAFE_ACCOUNT, state);
    const action = await safeAction();
    const txHash = await mine(executionOf(action.call));
    expect(await statusOf(action)).toBe('INITIAL');
    expect(await report(action, txHash)).toBe('VALIDATION_ERROR');
  });

  it('is not executed by the same call of another Safe', async () => {
    const action = await safeAction();
    const other = getAddress(`0x${'5b'.repeat(20)}`);
    tracker.node.intercept = safeState(other);
    await mine(safeTransaction({ safe: other, calls: [action.call] }));
    expect(await statusOf(action)).toBe('INITIAL');
  });

  it('costs one check of the account, however often a batch repeats its call', async () => {
    const action = await safeAction();
    tracker.node.calls.length = 0;
    const repeated = Array.from({ length: 100 }, () => action.call);
    await mine(executionOf(...repeated), executionOf(...repeated));
    expect(await stepOf(action)).toMatchObject({ status: 'SUBMITTED', callIndex: 0 });
    // Before and after the block.
    expect(tracker.node.calls.filter(({ method }) => method === 'eth_getCode')).toHaveLength(2);
  });

  it('is not searched for beyond the first 500 calls of a transaction', async () => {
    const action = await safeAction();
    const filler = Array.from({ length: 499 }, (): ScriptedSafeCall => ({ to: ROUTER, data: '0x' }));
    await mine(executionOf(...filler, { to: ROUTER, data: '0x' }, action.call));
    expect(await statusOf(action)).toBe('INITIAL');
    const txHash = await mine(executionOf(...filler, action.call));
    expect(await stepOf(action)).toMatchObject({ txHash, callIndex: 499 });
  });

  it('is found after a retry when the node could not show the code of the Safe', async () => {
    const action = await safeAction();
    tracker.node.intercept = ({ method }) =>
      method === 'eth_getCode' ? { error: { code: -32000, message: 'missing trie node' } } : undefined;
    const txHash = await mine(executionOf(action.call));
    expect(await tracker.quarantined()).toMatchObject([{ stage: 'transaction', item: txHash }]);
    tracker.node.intercept = safeState(SAFE_ACCOUNT);
    await tracker.test.database.quarantine.updateMany({ data: { nextAt: new Date(0) } });
    await retryQuarantined(tracker.deps, new AbortController().signal);
    expect([await statusOf(action), await tracker.quarantined()]).toEqual(['PENDING', []]);
  });
});

const PAYMENT: ScriptedSafeCall = { to: ROUTER, data: '0x', value: 7n };

/** An action of the Safe whose call lacks its id. */
async function untaggedAction(): Promise<SafeAction> {
  const customerId = newCustomer();
  const { id } = await createSampleAction(tracker.test.database, {
    customerId,
    originAddress: SAFE_ACCOUNT,
    calls: [{ sender: SAFE_ACCOUNT, target: PAYMENT.to, data: PAYMENT.data, minNonce: 1n }],
    value: 7n,
  });
  return { id, customerId, call: PAYMENT };
}

const issueIn = ({ id }: SafeAction, minutes: number) =>
  tracker.test.database.actionCall.updateMany({
    where: { actionId: id },
    data: { createdAt: new Date(Date.now() + minutes * 60_000) },
  });

describe('an action of a Safe whose call lacks its id', () => {
  it('is not executed by a transaction that is older than the call', async () => {
    const action = await untaggedAction();
    await issueIn(action, 10);
    const txHash = await mine(executionOf(PAYMENT));
    expect(await statusOf(action)).toBe('INITIAL');
    expect(await report(action, txHash)).toBe('VALIDATION_ERROR');
  });

  it('is executed by one whose block seems a little older, because clocks differ', async () => {
    const action = await untaggedAction();
    await issueIn(action, 2);
    const txHash = await mine(executionOf(PAYMENT));
    expect(await stepOf(action)).toMatchObject({ txHash, callIndex: 0 });
  });

  it('is executed by the next identical call of a batch when it is reported after another one', async () => {
    const [one, other] = [await untaggedAction(), await untaggedAction()];
    const txHash = await mine(executionOf(PAYMENT, PAYMENT));
    expect([await statusOf(one), await statusOf(other)]).toEqual(['INITIAL', 'INITIAL']); // of two customers
    for (const action of [one, other, one]) expect(await report(action, txHash)).toBeUndefined();
    expect(await stepOf(one)).toMatchObject({ txHash, callIndex: 0 });
    expect(await stepOf(other)).toMatchObject({ txHash, callIndex: 1 });
    expect(await report(await untaggedAction(), txHash)).toBe('VALIDATION_ERROR');
  });
});

/** The code of the error that a report gets. */
async function report({ id: actionId, customerId }: SafeAction, txHash: Hex): Promise<string | undefined> {
  try {
    await reportTransaction(tracker.deps, { customerId, actionId, txHash });
    return undefined;
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return error.code;
  }
}

describe('a reported transaction of a Safe', () => {
  it('executes the action, and none that it does not contain', async () => {
    const [one, other] = [await safeAction(), await safeAction()];
    const [txHash] = tracker.node.mine(executionOf(approval, one.call));
    expect(await report(other, txHash!)).toBe('VALIDATION_ERROR');
    expect(await report(one, txHash!)).toBeUndefined();
    expect(await stepOf(one)).toMatchObject({ txHash, callIndex: 1 });
    await catchUp();
    await finish();
    expect([await statusOf(one), await statusOf(other)]).toEqual(['SUCCESS', 'INITIAL']);
  });

  it('that reverted changes nothing', async () => {
    const action = await safeAction();
    const [txHash] = tracker.node.mine(
      safeTransaction({ safe: SAFE_ACCOUNT, calls: [action.call], outcome: 'reverted' }),
    );
    expect(await report(action, txHash!)).toBe('TX_REVERTED');
    expect(await statusOf(action)).toBe('INITIAL');
  });
});
