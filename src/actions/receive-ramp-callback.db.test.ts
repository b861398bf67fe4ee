import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { delivered, deskOf, poll } from '../../test/actions/delivery-desk';
import { createSampleTransfer, scriptedSource, recordOrigin } from '../../test/actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { RETENTION } from '../../test/setup/retention-settings';
import { removeExpired } from '../persistence/retention/remove-expired';
import type { RampId } from '../ramps/ramp-provider';
import { type RampCallbackSubject, receiveRampCallback } from './receive-ramp-callback';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const LATER = new Date('2099-01-01T00:00:00Z');

interface Ramped {
  readonly actionId: string;
  readonly ticketId: string;
}

/** A transfer through a ramp whose next poll is far in the future, or with `sleeps` not scheduled. */
async function rampedTransfer(options: { ramp?: RampId; sleeps?: boolean; hasTicket?: boolean } = {}): Promise<Ramped> {
  const { ramp = 'primary', sleeps = false, hasTicket = true } = options;
  const { database } = test;
  const { id: actionId, customerId } = await createSampleTransfer(database);
  const ticketId = randomUUID();
  await database.rampTicket.create({
    data: {
      actionId,
      customerId,
      profileId: randomUUID(),
      provider: ramp,
      accountId: 'account',
      request: new Uint8Array([1]),
      ticketId: hasTicket ? ticketId : null,
    },
  });
  await database.delivery.update({
    where: { actionId },
    data: {
      ...(sleeps ? { phase: 'AWAITING_ORIGIN', nextPollAt: null } : { phase: 'ACTIVE', nextPollAt: LATER }),
      pollCount: 7,
    },
  });
  return { actionId, ticketId };
}

const ticketSubject = (
  ticketId: string,
  changes: Partial<Extract<RampCallbackSubject, { about: 'ticket' }>> = {},
): RampCallbackSubject => ({
  ramp: 'primary',
  eventId: randomUUID(),
  about: 'ticket',
  ticketId,
  externalId: undefined,
  ...changes,
});
const take = (subject: RampCallbackSubject) => receiveRampCallback(test, subject);
const deliveryOf = (actionId: string) => test.database.delivery.findUniqueOrThrow({ where: { actionId } });
const isDue = async (actionId: string): Promise<boolean> => {
  const { nextPollAt, pollCount } = await deliveryOf(actionId);
  return nextPollAt !== null && nextPollAt.getTime() < LATER.getTime() && pollCount === 0;
};
const putOff = (actionId: string) =>
  test.database.delivery.update({ where: { actionId }, data: { phase: 'ACTIVE', nextPollAt: LATER, pollCount: 7 } });

describe('a callback about a ticket', () => {
  it('schedules a poll of its delivery, and of no other', async () => {
    const [mine, other] = [await rampedTransfer(), await rampedTransfer()];
    await take(ticketSubject(mine.ticketId));
    expect([await isDue(mine.actionId), await isDue(other.actionId)]).toEqual([true, false]);
  });

  it('counts once, however often and concurrently it arrives', async () => {
    const { actionId, ticketId } = await rampedTransfer();
    const subject = ticketSubject(ticketId);
    await Promise.all(Array.from({ length: 20 }, () => take(subject)));
    expect(await isDue(actionId)).toBe(true);
    const { ramp: provider, eventId } = subject;
    expect(await test.database.rampCallback.count({ where: { provider, eventId } })).toBe(1);
    await putOff(actionId);
    await take(subject);
    expect(await isDue(actionId)).toBe(false);
  });

  it('finds a ticket by the id of this service before the id of the ramp is stored', async () => {
    const { actionId, ticketId } = await rampedTransfer({ hasTicket: false });
    await take(ticketSubject(ticketId, { externalId: `${actionId}-refund` }));
    expect(await isDue(actionId)).toBe(false);
    await take(ticketSubject(ticketId, { externalId: actionId }));
    expect(await isDue(actionId)).toBe(true);
  });

  it('schedules no poll before the origin transaction is seen, or after the end', async () => {
    const { actionId, ticketId } = await rampedTransfer({ sleeps: true });
    await take(ticketSubject(ticketId));
    expect(await deliveryOf(actionId)).toMatchObject({ nextPollAt: null, pollCount: 7 });
  });

  it('of one ramp affects neither a ticket nor an event of the other ramp with the same id', async () => {
    const { actionId, ticketId } = await rampedTransfer({ ramp: 'secondary' });
    const subject = ticketSubject(ticketId, { externalId: actionId });
    await take(subject);
    expect(await isDue(actionId)).toBe(false);
    await take({ ...subject, ramp: 'secondary' });
    expect(await isDue(actionId)).toBe(true);
  });

  it('discards the outcome of a running poll, whose request was sent before', async () => {
    const { actionId, ticketId } = await rampedTransfer();
    await recordOrigin(test.database, actionId);
    await test.database.delivery.updateMany({ data: { phase: 'ACTIVE', nextPollAt: LATER } });
    const source = scriptedSource();
    const desk = deskOf(test.database, source);
    const statusOf = async () => (await test.database.action.findUniqueOrThrow({ where: { id: actionId } })).status;
    source.respondWith(async () => {
      await take(ticketSubject(ticketId));
      return delivered();
    });
    await poll(desk, actionId);
    expect(source.polled).toHaveLength(1);
    expect([await isDue(actionId), await statusOf()]).toEqual([true, 'PENDING']);
    source.respondWith(delivered());
    await poll(desk, actionId);
    expect(await statusOf()).toBe('SUCCESS');
  });

  it('changes nothing but the schedule of its delivery: forged, repeated, out of order, with any subject', async () => {
    const { actionId, ticketId } = await rampedTransfer();
    const { actionId: asleep, ticketId: sleeping } = await rampedTransfer({ sleeps: true });
    const known = async () => {
      const { database } = test;
      const ids = { in: [actionId, asleep] };
      const deliveries = await database.delivery.findMany({ where: { actionId: ids }, orderBy: { actionId: 'asc' } });
      return {
        actions: await database.action.findMany({ where: { id: ids }, orderBy: { id: 'asc' } }),
        events: await database.actionEvent.findMany({ where: { actionId: ids }, orderBy: { id: 'asc' } }),
        steps: await database.actionStep.findMany({ where: { actionId: ids }, orderBy: { actionId: 'asc' } }),
        tickets: await database.rampTicket.findMany({ where: { actionId: ids }, orderBy: { actionId: 'asc' } }),
        deliveries: deliveries.map((row) => ({ ...row, pollCount: 0, nextPollAt: row.nextPollAt === null })),
      };
    };
    const before = await known();
    const id = fc.constantFrom(ticketId, sleeping, actionId, asleep, 'unknown', `${actionId}'--`);
    const event = fc.record({
      ramp: fc.constantFrom<RampId>('primary', 'secondary'),
      eventId: fc.constantFrom('a', 'b', 'c'),
      about: fc.constant('ticket' as const),
      ticketId: id,
      externalId: fc.option(id, { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 5 }), async (hints) => {
        await test.database.rampCallback.deleteMany({ where: { eventId: { in: ['a', 'b', 'c'] } } });
        await Promise.all(hints.map(take));
        expect(await known()).toEqual(before);
      }),
      { numRuns: 25 },
    );
  });
});

describe('a callback about a verification', () => {
  async function account(submissionLeasedUntil: Date | null = null, ramp: RampId = 'primary') {
    const [customerId, profileId, accountId, attemptId] = Array.from({ length: 4 }, () => randomUUID());
    await test.database.kycProfile.create({
      data: { id: profileId!, customerId: customerId!, taxIdIndex: Buffer.from(profileId!), person: new Uint8Array() },
    });
    const data = { profileId: profileId!, customerId: customerId!, provider: ramp, accountId: accountId! };
    await test.database.rampAccount.create({
      data: {
        ...data,
        attemptId: attemptId!,
        status: 'provider_pending',
        submissionLeasedUntil,
        polledAt: new Date(),
        pollToken: randomUUID(),
      },
    });
    return { profileId: profileId!, accountId: accountId!, attemptId: attemptId! };
  }
  const subjectOf = (
    about: { accountId?: string; attemptId?: string },
    ramp: RampId = 'primary',
  ): RampCallbackSubject => ({
    ramp,
    eventId: randomUUID(),
    about: 'verification',
    accountId: about.accountId,
    attemptId: about.attemptId,
  });
  const rowOf = (profileId: string) => test.database.rampAccount.findFirstOrThrow({ where: { profileId } });

  it.each(['accountId', 'attemptId'] as const)('marks the account stale that it names by %s', async (name) => {
    const [mine, other] = [await account(), await account()];
    const before = await rowOf(mine.profileId);
    const marked = await take(subjectOf({ [name]: mine[name] }));
    expect(marked.map(({ profileId }) => profileId)).toEqual([mine.profileId]);
    expect(await rowOf(mine.profileId)).toEqual({
      ...before,
      staleSince: expect.any(Date) as Date,
      pollToken: null,
    });
    expect((await rowOf(other.profileId)).staleSince).toBeNull();
  });

  it('counts once', async () => {
    const { profileId, accountId } = await account();
    const subject = subjectOf({ accountId });
    await take(subject);
    await test.database.rampAccount.updateMany({ where: { profileId }, data: { staleSince: null } });
    expect(await take(subject)).toEqual([]);
    expect((await rowOf(profileId)).staleSince).toBeNull();
  });

  it('marks no account with a submission in progress', async () => {
    const { profileId, accountId } = await account(new Date(Date.now() + 60_000));
    expect(await take(subjectOf({ accountId }))).toEqual([]);
    expect((await rowOf(profileId)).staleSince).toBeNull();
  });

  it('marks nothing without an id, and nothing of the other ramp', async () => {
    const { profileId, accountId } = await account(null, 'secondary');
    for (const subject of [subjectOf({}), subjectOf({}, 'secondary'), subjectOf({ accountId })]) {
      expect(await take(subject)).toEqual([]);
    }
    expect((await rowOf(profileId)).staleSince).toBeNull();
  });
});

it('stores events without a subject, so that they count once like any other', async () => {
  const subject: RampCallbackSubject = { ramp: 'primary', eventId: randomUUID(), about: 'other' };
  expect(await take(subject)).toEqual([]);
  expect(await test.database.rampCallback.count({ where: { eventId: subject.eventId } })).toBe(1);
});

it('are stored for a week, longer than a ramp repeats them', async () => {
  const day = 86_400_000;
  const events = [8, 6].map((days) => ({ eventId: randomUUID(), receivedAt: new Date(Date.now() - days * day) }));
  await test.database.rampCallback.createMany({ data: events.map((event) => ({ ...event, provider: 'primary' })) });
  await removeExpired({ pool: test.pool, settings: RETENTION }, new AbortController().signal);
  const eventId = { in: events.map((event) => event.eventId) };
  const left = await test.database.rampCallback.findMany({ where: { eventId } });
  expect(left.map((row) => row.eventId)).toEqual([events[1]!.eventId]);
});
