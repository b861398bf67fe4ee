import type { Hex } from 'viem';
import { createSampleAction, historyOf, newCustomer, ROUTER } from '../../../test/actions/sample-action';
import { CHAIN_ID, openScriptedTracker, type ScriptedTracker, SENDER } from '../../../test/actions/scripted-tracker';
import { untilBlocked } from '../../../test/setup/until-blocked';
import type { CustomerId } from '../../auth/principal';
import { isServiceError, type ServiceError } from '../../errors/service-error';
import { reportTransaction } from '../report-transaction';
import { expireActions } from '../state/expire-actions';

let tracker: ScriptedTracker;
let warnings: string[];
beforeEach(async () => {
  const opened = await openScriptedTracker();
  warnings = [];
  const warn = (_: unknown, message?: string) => void warnings.push(message ?? '');
  Object.assign(opened.deps, { log: { info: () => undefined, warn } });
  tracker = opened;
  await tracker.pass();
});
afterEach(() => tracker.stop());

interface Payment {
  readonly id: string;
  readonly customerId: CustomerId;
}

/** An action whose call lacks its id, because the receiver accepts coin without calldata only. */
const pay = (customerId = newCustomer(), minNonce = 0n): Promise<Payment> =>
  createSampleAction(tracker.test.database, {
    customerId,
    type: 'TRANSFER_OUT',
    originAddress: SENDER,
    receiverAddress: ROUTER,
    steps: [{ kind: 'TRANSFER', operator: 'USER', protocol: 'transfer', chainId: CHAIN_ID }],
    calls: [{ sender: SENDER, target: ROUTER, data: '0x', minNonce }],
    value: 7n,
  });

const transaction = (nonce: number) => ({ from: SENDER, to: ROUTER, value: 7n, nonce });
const catchUp = async () => {
  while ((await tracker.pass()) === 'behind');
};
async function mine(nonce: number): Promise<Hex> {
  const [txHash] = tracker.node.mine(transaction(nonce));
  await catchUp();
  return txHash!;
}

/** The transactions of the actions; null for one that waits. */
const hashesOf = async (...payments: readonly Payment[]) =>
  Promise.all(
    payments.map(
      async ({ id }) => (await tracker.test.database.actionStep.findFirstOrThrow({ where: { actionId: id } })).txHash,
    ),
  );

async function failureOf({ id: actionId, customerId }: Payment, txHash: Hex): Promise<ServiceError | undefined> {
  try {
    await reportTransaction(tracker.deps, { customerId, actionId, txHash });
    return undefined;
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return error;
  }
}
/** The code of the error that a report gets. */
const report = async (payment: Payment, txHash: Hex) => (await failureOf(payment, txHash))?.code;

/** A transaction with this nonce that is in no block yet. */
function broadcast(nonce: Hex): Hex {
  const pending: Hex = `0x${'9e'.repeat(32)}`;
  const fields = { hash: pending, from: SENDER, to: ROUTER, input: '0x', value: '0x7', nonce, gas: '0x1' };
  tracker.node.intercept = ({ method, params: [hash] }) => {
    if (hash !== pending) return undefined;
    return method === 'eth_getTransactionByHash' ? { ...fields, type: '0x0', gasPrice: '0x1' } : null;
  };
  return pending;
}

describe('a transaction whose call several customers have', () => {
  it('executes the action of none of them by itself, and the log says so', async () => {
    const payments = [await pay(), await pay()];
    await mine(0);
    expect(await hashesOf(...payments)).toEqual([null, null]);
    expect(warnings).toEqual([expect.stringContaining('several customers')]);
    expect(warnings).toEqual([expect.stringContaining('POST /actions/{id}/transactions')]);
  });

  it('executes the action that it is reported for, and no other one', async () => {
    const [one, other] = [await pay(), await pay()];
    const txHash = await mine(0);
    expect(await report(other, txHash)).toBeUndefined();
    expect(await report(one, txHash)).toBe('VALIDATION_ERROR');
    expect(await hashesOf(one, other)).toEqual([null, txHash]);
  });

  it('executes the action that it was reported for before it was mined', async () => {
    const [one, other] = [await pay(), await pay()];
    const pending = broadcast('0x4');
    expect(await report(other, pending)).toBe('TX_NOT_MINED');
    expect(await report(one, pending)).toBe('TX_NOT_MINED'); // too late
    const [txHash] = tracker.node.mine(transaction(4)); // replaced with a higher fee
    expect((await failureOf(one, txHash!))?.details).toEqual({
      errors: [{ path: 'txHash', message: 'has a nonce that was reported for another action' }],
    });
    await catchUp();
    expect(await hashesOf(one, other)).toEqual([null, txHash]);
  });

  it('executes no action that has succeeded already, although it is reported for it', async () => {
    const done = await pay();
    const first = await mine(0);
    tracker.node.mine();
    await catchUp();
    expect(await tracker.statusOf(done.id)).toBe('SUCCESS');
    const waiting = await pay();
    expect(await report(done, broadcast('0x1'))).toBe('TX_NOT_MINED');
    const [txHash] = tracker.node.mine(transaction(1));
    expect((await failureOf(done, txHash!))?.details).toEqual({
      errors: [{ path: 'txHash', message: `cannot execute this action: it has the transaction ${first} already` }],
    });
    expect(await report(done, first)).toBeUndefined();
    expect(await report(waiting, txHash!)).toBeUndefined();
    expect(await hashesOf(done, waiting)).toEqual([first, txHash]);
  });

  it('executes the only action that existed when it was sent', async () => {
    const one = await pay(newCustomer(), 0n);
    const later = await pay(newCustomer(), 6n);
    const txHash = await mine(5);
    expect(await hashesOf(one, later)).toEqual([txHash, null]);
    expect(await report(later, txHash)).toBe('VALIDATION_ERROR');
  });

  it('executes no live action of one customer while an expired one of another customer is still watched', async () => {
    const expired = await pay();
    await tracker.test.database.action.update({ where: { id: expired.id }, data: { expiresAt: new Date(0) } });
    await expireActions(tracker.test);
    const live = await pay();
    const txHash = await mine(0);
    expect(await hashesOf(expired, live)).toEqual([null, null]);
    expect(await report(expired, txHash)).toBeUndefined();
    expect(await tracker.statusOf(expired.id)).toBe('PENDING');
  });
});

describe('a transaction whose call several actions of one customer have', () => {
  it('executes no action that was created after it was sent', async () => {
    const later = await pay(newCustomer(), 1n);
    await mine(0);
    expect(await hashesOf(later)).toEqual([null]);
    const txHash = await mine(1);
    expect(await hashesOf(later)).toEqual([txHash]);
  });

  it('executes the oldest, and moves to the one that it is reported for', async () => {
    const customerId = newCustomer();
    const [older, younger] = [await pay(customerId), await pay(customerId)];
    const txHash = await mine(0);
    expect(await hashesOf(older, younger)).toEqual([txHash, null]);
    expect(await report(younger, txHash)).toBeUndefined();
    expect(await hashesOf(older, younger)).toEqual([null, txHash]);
    expect((await historyOf(tracker.test.database, older.id)).at(-1)).toBe('PENDING>PENDING WAITING_ORIGIN');
    const next = await mine(1);
    expect(await hashesOf(older, younger)).toEqual([next, txHash]);
  });

  it('changes places with another one when both were assigned by their order', async () => {
    const customerId = newCustomer();
    const [older, younger] = [await pay(customerId), await pay(customerId)];
    tracker.node.mine(transaction(0), transaction(1));
    await catchUp();
    const [first, second] = await hashesOf(older, younger);
    expect(await report(younger, first as Hex)).toBeUndefined();
    expect(await hashesOf(older, younger)).toEqual([second, first]);
    expect(await report(older, first as Hex)).toBe('VALIDATION_ERROR');
    expect(await report(younger, first as Hex)).toBeUndefined();
    expect(await hashesOf(older, younger)).toEqual([second, first]);
  });

  it('moves without a deadlock: a report locks the actions in the order of their ids', async () => {
    const customerId = newCustomer();
    const payments = [await pay(customerId), await pay(customerId)];
    const [holder, other] = payments.sort((a, b) => (a.id < b.id ? -1 : 1)) as [Payment, Payment];
    const txHash = await mine(0);
    expect(await hashesOf(holder, other)).toEqual([txHash, null]);
    const reported = await tracker.test.database.$transaction(
      async (tx) => {
        await tx.$queryRaw`SELECT id FROM "Action" WHERE id = ${holder.id}::uuid FOR UPDATE`;
        const waiting = report(other, txHash);
        await untilBlocked(tracker.test);
        await tx.$queryRaw`SELECT id FROM "Action" WHERE id = ${other.id}::uuid FOR UPDATE NOWAIT`;
        return { waiting };
      },
      { timeout: 20_000 },
    );
    expect(await reported.waiting).toBeUndefined();
    expect(await hashesOf(holder, other)).toEqual([null, txHash]);
  });

  it('stays with the action that reported it', async () => {
    const customerId = newCustomer();
    const [older, younger] = [await pay(customerId), await pay(customerId)];
    const txHash = await mine(0);
    expect(await report(older, txHash)).toBeUndefined();
    expect(await report(younger, txHash)).toBe('VALIDATION_ERROR');
    expect(await hashesOf(older, younger)).toEqual([txHash, null]);
  });

  it('stays where it is once it is final', async () => {
    const customerId = newCustomer();
    const [older, younger] = [await pay(customerId), await pay(customerId)];
    const txHash = await mine(0);
    tracker.node.mine();
    await catchUp();
    expect(await tracker.statusOf(older.id)).toBe('SUCCESS');
    expect(await report(younger, txHash)).toBe('VALIDATION_ERROR');
    expect(await hashesOf(older, younger)).toEqual([txHash, null]);
    const next = await mine(1);
    expect(await hashesOf(older, younger)).toEqual([txHash, next]);
  });
});
