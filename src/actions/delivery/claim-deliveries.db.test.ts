import { delivered, deskOf, pollWith } from '../../../test/actions/delivery-desk';
import { createSampleTransfer, scriptedSource, recordOrigin } from '../../../test/actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import type { DeliveryPhase } from '../../persistence/client/enums';
import { expireActions } from '../state/expire-actions';
import { POLL_NOW } from '../state/poll-now';
import { claimDueDeliveries, type ClaimedDelivery, finishPoll, lockClaim, postponePoll } from './claim-deliveries';
import { pollDelivery } from './poll-delivery';

let test: TestDatabase;
let providers = 0;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const SOON = new Date(Date.now() + 3_600_000);
const RESULT = { phase: 'ACTIVE', nextInMs: 60_000, pollCount: 3, checkpoint: undefined, completion: null } as const;

/** The only delivery of a provider, due for a poll. */
async function dueDelivery() {
  providers += 1;
  const provider = `provider-${providers}`;
  const { id } = await createSampleTransfer(test.database, { provider });
  await recordOrigin(test.database, id);
  return { id, provider };
}

const claim = async (provider: string): Promise<ClaimedDelivery | undefined> =>
  (await claimDueDeliveries(test, provider, 8))[0];
const claimed = async (provider: string): Promise<ClaimedDelivery> => {
  const delivery = await claim(provider);
  if (delivery === undefined) throw new Error('nothing was due');
  return delivery;
};
const deliveryOf = (actionId: string) => test.database.delivery.findUniqueOrThrow({ where: { actionId } });
const isValid = (delivery: ClaimedDelivery): Promise<boolean> =>
  test.database.$transaction((tx) => lockClaim(tx, delivery));
const wake = (id: string) =>
  test.database.$executeRaw`UPDATE "Delivery" SET ${POLL_NOW} WHERE "actionId" = ${id}::uuid`;
/** Ends the lease, as time does after a replica was killed. */
const endLease = (id: string) =>
  test.database.delivery.update({ where: { actionId: id }, data: { leasedUntil: new Date(Date.now() - 1) } });

describe('the schedule of a delivery', () => {
  it('decides alone when a poll is due', async () => {
    const { id, provider } = await dueDelivery();
    await test.database.delivery.update({ where: { actionId: id }, data: { nextPollAt: SOON } });
    expect(await claim(provider)).toBeUndefined();
    await wake(id);
    expect(await claim(provider)).toMatchObject({ actionId: id });
  });

  it('is not changed by a claim', async () => {
    const { id, provider } = await dueDelivery();
    const { nextPollAt } = await deliveryOf(id);
    await claimed(provider);
    expect((await deliveryOf(id)).nextPollAt).toEqual(nextPollAt);
  });
});

describe('the lease of a delivery', () => {
  it('goes to one of twenty concurrent replicas', async () => {
    const { provider } = await dueDelivery();
    const claims = await Promise.all(Array.from({ length: 20 }, () => claim(provider)));
    expect(claims.filter((each) => each !== undefined)).toHaveLength(1);
  });

  it('ends by itself when its replica was killed, and the result of that replica is then discarded', async () => {
    const { id, provider } = await dueDelivery();
    const killed = await claimed(provider);
    expect(await claim(provider)).toBeUndefined();
    await endLease(id);
    expect(await isValid(killed)).toBe(false);
    const next = await claimed(provider);
    expect(await isValid(killed)).toBe(false);
    expect(await isValid(next)).toBe(true);
  });

  it('is released by the end of a poll, whether it succeeds or fails', async () => {
    const { id, provider } = await dueDelivery();
    const first = await claimed(provider);
    await postponePoll(test.database, first, { nextInMs: 0, failure: 'TIMEOUT: no response' });
    expect(await deliveryOf(id)).toMatchObject({ leasedUntil: null, lastFailure: 'TIMEOUT: no response' });
    const second = await claimed(provider);
    await test.database.$transaction((tx) => finishPoll(tx, second, RESULT));
    expect(await deliveryOf(id)).toMatchObject({ leasedUntil: null, lastFailure: null, pollCount: 3 });
  });

  it('is revoked when a poll is scheduled meanwhile: the running poll neither applies its outcome nor postpones', async () => {
    const { id, provider } = await dueDelivery();
    const stale = await claimed(provider);
    await wake(id);
    expect(await isValid(stale)).toBe(false);
    await postponePoll(test.database, stale, { nextInMs: 3_600_000, failure: 'stale' });
    expect(await deliveryOf(id)).toMatchObject({ pollCount: 0, lastFailure: null });
    expect(await claim(provider)).toMatchObject({ actionId: id });
  });
});

describe('the fencing token of a delivery', () => {
  it('rises with each claim, so that an earlier claim can neither finish nor postpone the poll of a later one', async () => {
    const { id, provider } = await dueDelivery();
    const earlier = await claimed(provider);
    await endLease(id);
    const later = await claimed(provider);
    expect(later.fencingToken).toBe(earlier.fencingToken + 1n);
    const source = scriptedSource();
    source.respondWith(delivered());
    const sources = new Map([[provider, source]]);
    await pollDelivery({ ...deskOf(test.database, source), sources }, earlier);
    expect(await test.database.action.findUniqueOrThrow({ where: { id } })).toMatchObject({ status: 'PENDING' });
    await postponePoll(test.database, earlier, { nextInMs: 3_600_000, failure: 'late' });
    expect(await deliveryOf(id)).toMatchObject({ lastFailure: null });
    expect(await isValid(later)).toBe(true);
  });
});

describe('the phase of a delivery', () => {
  const phaseOf = async (id: string): Promise<DeliveryPhase> => (await deliveryOf(id)).phase;

  it('awaits the origin, is active from then on, and has ended after the first poll of an ended action', async () => {
    const { id } = await createSampleTransfer(test.database);
    expect(await deliveryOf(id)).toMatchObject({ phase: 'AWAITING_ORIGIN', nextPollAt: null, leasedUntil: null });
    await recordOrigin(test.database, id);
    expect(await deliveryOf(id)).toMatchObject({ phase: 'ACTIVE', nextPollAt: expect.any(Date) });
    await pollWith(test.database, id, { state: delivered() });
    expect(await phaseOf(id)).toBe('ACTIVE');
    await pollWith(test.database, id, { state: delivered() });
    expect(await deliveryOf(id)).toMatchObject({ phase: 'ENDED', nextPollAt: null, leasedUntil: null });
  });

  it('is active from the start for a deposit, and ends with an action that expires before its origin is seen', async () => {
    const deposit = await createSampleTransfer(test.database, { deposit: { address: 'bc1q', reference: 'r' } });
    expect(await phaseOf(deposit.id)).toBe('ACTIVE');
    const unpaid = await createSampleTransfer(test.database, { expiresAt: new Date(Date.now() - 1000) });
    await expireActions(test);
    expect(await phaseOf(unpaid.id)).toBe('ENDED');
  });

  it.each([
    ['an active delivery without a schedule', { phase: 'ACTIVE', nextPollAt: null }],
    ['a schedule outside the active phase', { phase: 'ENDED', nextPollAt: SOON }],
    ['a lease outside the active phase', { phase: 'AWAITING_ORIGIN', leasedUntil: SOON }],
  ] as const)('cannot contradict the other columns: the database rejects %s', async (_, data) => {
    const { id } = await createSampleTransfer(test.database);
    await expect(test.database.delivery.update({ where: { actionId: id }, data })).rejects.toThrow('check constraint');
  });
});
