import { pollWith, refunded } from '../../../test/actions/delivery-desk';
import { ALICE, createSampleAction, historyOf, ROUTER, someCalldata } from '../../../test/actions/sample-action';
import { createSampleTransfer, recordOrigin, someHash } from '../../../test/actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { expireActions } from './expire-actions';
import { changeStatus } from './change-status';

let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase();
});
afterEach(() => test.drop());

const past = (): Date => new Date(Date.now() - 1000);
const statusOf = async (id: string) => (await test.database.action.findUniqueOrThrow({ where: { id } })).status;
const callsOf = (actionId: string) => test.database.actionCall.findMany({ where: { actionId } });
const tracker = (caughtUpAt: Date | null) =>
  test.database.chainTracker.create({
    data: { chainId: 31337, leaseOwner: '00000000-0000-4000-8000-000000000000', leaseUntil: past(), caughtUpAt },
  });

describe('expiry', () => {
  it('ends the actions that were not executed in time, and no others', async () => {
    const calls = [{ sender: ALICE, target: ROUTER, data: someCalldata() }];
    const due = await createSampleAction(test.database, { expiresAt: past(), calls });
    const young = await createSampleAction(test.database);
    const seen = await createSampleAction(test.database, { expiresAt: past() });
    await test.database.$transaction((tx) => changeStatus(tx, seen.id, { transition: 'originSeen' }));
    expect(await expireActions(test)).toBe(1);
    expect(await expireActions(test)).toBe(0);
    expect(await historyOf(test.database, due.id)).toEqual(['>INITIAL WAITING_ORIGIN', 'INITIAL>FAILED EXPIRED']);
    expect(await statusOf(young.id)).toBe('INITIAL');
    expect(await statusOf(seen.id)).toBe('PENDING');
    expect(await callsOf(due.id)).toMatchObject([{ open: true, watchedUntil: expect.any(Date) }]);
  });

  it('ends the search for late transactions after a week, once the chain was read up to then', async () => {
    const calls = [{ sender: ALICE, target: ROUTER, data: someCalldata() }];
    const { id } = await createSampleAction(test.database, { expiresAt: past(), calls });
    await expireActions(test);
    const [call] = await callsOf(id);
    const days = (call!.watchedUntil!.getTime() - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(7);
    const ended = past();
    await test.database.actionCall.updateMany({ data: { watchedUntil: ended } });
    await tracker(new Date(ended.getTime() - 1000));
    await expireActions(test);
    expect(await callsOf(id)).toMatchObject([{ open: true }]);
    await test.database.chainTracker.updateMany({ data: { caughtUpAt: new Date() } });
    await expireActions(test);
    expect(await callsOf(id)).toMatchObject([{ open: false }]);
  });

  it('ends the search two weeks later although the chain is not read any more', async () => {
    const calls = [{ sender: ALICE, target: ROUTER, data: someCalldata() }];
    const { id } = await createSampleAction(test.database, { expiresAt: past(), calls });
    await expireActions(test);
    await tracker(null);
    const watchedUntil = (days: number) => new Date(Date.now() - days * 86_400_000);
    await test.database.actionCall.updateMany({ data: { watchedUntil: watchedUntil(13) } });
    await expireActions(test);
    expect(await callsOf(id)).toMatchObject([{ open: true }]);
    await test.database.actionCall.updateMany({ data: { watchedUntil: watchedUntil(15) } });
    await expireActions(test);
    expect(await callsOf(id)).toMatchObject([{ open: false }]);
  });

  it('gives an end to searches of failed actions without one, and to no others', async () => {
    const calls = [{ sender: ALICE, target: ROUTER, data: someCalldata() }];
    const [failed, live] = [
      await createSampleAction(test.database, { expiresAt: past(), calls }),
      await createSampleAction(test.database, { calls }),
    ];
    await tracker(new Date());
    await expireActions(test);
    // As a replica of an earlier version leaves them.
    await test.database.actionCall.updateMany({ data: { watchedUntil: null } });
    await expireActions(test);
    expect(await callsOf(failed.id)).toMatchObject([{ open: true, watchedUntil: expect.any(Date) }]);
    expect(await callsOf(live.id)).toMatchObject([{ open: true, watchedUntil: null }]);
  });

  it('does not end the search while a transaction of the wallet is in quarantine', async () => {
    const calls = [{ sender: ALICE, target: ROUTER, data: someCalldata() }];
    const { id } = await createSampleAction(test.database, { expiresAt: past(), calls });
    await expireActions(test);
    await test.database.actionCall.updateMany({ data: { watchedUntil: past() } });
    const item = { chainId: 31337, stage: 'transaction', item: '0x1', sender: ALICE.toLowerCase() };
    await test.database.quarantine.create({ data: { ...item, error: 'unreadable', nextAt: new Date() } });
    await expireActions(test);
    expect(await callsOf(id)).toMatchObject([{ open: true }]);
    await test.database.quarantine.deleteMany();
    await expireActions(test);
    expect(await callsOf(id)).toMatchObject([{ open: false }]);
  });

  it('waits until the chain has been read up to the moment of expiry', async () => {
    const { id } = await createSampleAction(test.database, { expiresAt: past() });
    await tracker(new Date(Date.now() - 60_000));
    expect(await expireActions(test)).toBe(0);
    await test.database.chainTracker.updateMany({ data: { caughtUpAt: new Date() } });
    expect(await expireActions(test)).toBe(1);
    expect(await statusOf(id)).toBe('FAILED');
  });

  it('ends a pending action whose transaction vanished and did not return', async () => {
    const { id } = await createSampleAction(test.database, { expiresAt: past() });
    const lost = { transition: 'originSeen', substatus: 'WAITING_ORIGIN' } as const;
    await test.database.$transaction((tx) => changeStatus(tx, id, lost));
    expect(await expireActions(test)).toBe(1);
    expect((await historyOf(test.database, id)).at(-1)).toBe('PENDING>FAILED EXPIRED');
  });

  it('ends a deposit after a poll in vain, and none that was seen or whose poll failed', async () => {
    const deposit = { address: 'bcrt1qdeposit', reference: 'request' };
    const unpaid = { status: 'inFlight', waitingFor: 'DEPOSIT' } as const;
    const [due, seen, unpolled] = [
      await createSampleTransfer(test.database, { deposit, expiresAt: past() }),
      await createSampleTransfer(test.database, { deposit, expiresAt: past() }),
      await createSampleTransfer(test.database, { deposit, expiresAt: past() }),
    ];
    await test.database.$executeRaw`UPDATE "Delivery" SET "updatedAt" = now() - interval '1 day'`;
    await pollWith(test.database, unpolled.id, { state: new Error('no response') });
    expect(await expireActions(test)).toBe(0);
    await pollWith(test.database, seen.id, { state: { ...unpaid, originTxHash: someHash() } });
    await pollWith(test.database, due.id, { state: unpaid });
    await pollWith(test.database, unpolled.id, { state: new Error('no response') });
    expect(await expireActions(test)).toBe(1);
    expect(await statusOf(due.id)).toBe('FAILED');
    expect(await statusOf(seen.id)).toBe('PENDING');
    expect(await statusOf(unpolled.id)).toBe('INITIAL');
    await pollWith(test.database, due.id, { state: refunded() });
    expect(await statusOf(due.id)).toBe('REFUNDED');
  });

  it('ends no action whose tokens have arrived, although its origin vanished', async () => {
    const { id } = await createSampleTransfer(test.database, { expiresAt: past() });
    await recordOrigin(test.database, id);
    await test.database.actionStep.updateMany({ where: { actionId: id, stepIndex: 0 }, data: { status: 'PENDING' } });
    await test.database.actionStep.updateMany({ where: { actionId: id, stepIndex: 1 }, data: { status: 'CONFIRMED' } });
    await test.database.action.update({ where: { id }, data: { substatus: 'WAITING_ORIGIN' } });
    expect(await expireActions(test)).toBe(0);
    expect(await statusOf(id)).toBe('PENDING');
  });

  it('ends each action once when several replicas run it, in as many batches as necessary', async () => {
    const ids: string[] = [];
    for (let made = 0; made < 120; made += 1)
      ids.push((await createSampleAction(test.database, { expiresAt: past() })).id);
    const ended = await Promise.all([expireActions(test), expireActions(test), expireActions(test)]);
    expect(ended.reduce((sum, each) => sum + each, 0)).toBe(120);
    expect(await test.database.actionEvent.count({ where: { toStatus: 'FAILED' } })).toBe(120);
  });
});
