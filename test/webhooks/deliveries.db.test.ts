import { setTimeout as wait } from 'node:timers/promises';
import { changeStatus } from '../../src/actions/state/change-status';
import { releaseWebhook } from '../../src/webhooks/claim-deliveries';
import { createSampleAction, newCustomer } from '../actions/sample-action';
import {
  ACCEPTED,
  addEndpoint,
  eventOf,
  makeDue,
  rejected,
  scriptedReceiver,
  startWorker,
  until,
} from './webhook-world';
import { ACTION_EVENTS, webhookDatabase } from './webhook-database';

const { world, work, customerWithEndpoint, completedAction, prepareAll, claim, record, statesOf } = webhookDatabase();

const databaseTime = async (): Promise<number> => {
  const [row] = await world.database.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`;
  return row!.now.getTime();
};

/** Checks the seconds until deliveries are due, which were recorded between `from` and now, however long that took. */
async function expectDelays(delays: readonly (readonly [string, number])[], from: number): Promise<void> {
  const to = await databaseTime();
  for (const [id, seconds] of delays) {
    const { nextAt } = await world.database.webhookDelivery.findUniqueOrThrow({ where: { id } });
    const recordedAt = nextAt.getTime() - seconds * 1000;
    // The times are rounded to milliseconds.
    expect(recordedAt).toBeGreaterThanOrEqual(from - 1);
    expect(recordedAt).toBeLessThanOrEqual(to + 1);
  }
}

describe('deliveries', () => {
  it('arrive in the order of their action, with one id and verifiable headers', async () => {
    const { customerId } = await customerWithEndpoint();
    const { send, received } = scriptedReceiver();
    work(send);
    const ids = await Promise.all(Array.from({ length: 5 }, () => completedAction(customerId)));
    await until(() => received.length === 15);
    for (const id of ids) {
      const ofAction = received.map(eventOf).filter(({ data }) => data['id'] === id);
      expect(ofAction.map(({ type }) => type)).toEqual(['action.created', 'action.pending', 'action.succeeded']);
    }
    expect(new Set(received.map(({ id }) => id)).size).toBe(15);
    expect(received[0]).toMatchObject({
      url: 'https://hooks.example.com/a',
      secrets: [expect.stringMatching(/^whsec_/)],
    });
  });

  it('are sent by one worker at a time, however many there are', async () => {
    const { customerId, endpointId } = await customerWithEndpoint();
    const sending = new Set<string>();
    let maximum = 0;
    const { send, received } = scriptedReceiver(async ({ id }) => {
      expect(sending.has(id)).toBe(false);
      sending.add(id);
      maximum = Math.max(maximum, sending.size);
      await until(() => maximum > 1);
      sending.delete(id);
      return ACCEPTED;
    });
    for (let count = 0; count < 3; count += 1) work(send);
    await Promise.all(Array.from({ length: 8 }, () => completedAction(customerId)));
    await until(async () => (await statesOf(endpointId)).filter((state) => state === 'DELIVERED').length === 24);
    expect(received).toHaveLength(24);
    expect(maximum).toBeGreaterThan(1);
    expect(maximum).toBeLessThanOrEqual(4);
  });

  it('of an action wait for a rejected one, and those of other actions do not', async () => {
    const { customerId } = await customerWithEndpoint();
    const blocked = await completedAction(customerId);
    const { send, received } = scriptedReceiver((message) =>
      eventOf(message).data['id'] === blocked ? rejected(500, 10) : ACCEPTED,
    );
    work(send);
    const free = await completedAction(customerId);
    const of = (id: string) => received.map(eventOf).filter(({ data }) => data['id'] === id);
    await until(() => of(free).length === 3);
    await wait(100);
    // A slow machine may have tried it again.
    expect([...new Set(of(blocked).map(({ type }) => type))]).toEqual(['action.created']);
  });

  it('that a rejected one holds are not due before it', async () => {
    const { customerId } = await customerWithEndpoint();
    const { id } = await createSampleAction(world.database, { customerId });
    await prepareAll();
    const [first] = await claim();
    const { nextAt: firstDue } = await world.database.webhookDelivery.findUniqueOrThrow({ where: { id: first!.id } });
    await record(first!, rejected(500, 10));
    await world.database.$transaction((tx) => changeStatus(tx, id, { transition: 'originSeen' }));
    await prepareAll();
    const due = await world.database.webhookDelivery.findMany({ select: { nextAt: true } });
    expect(due).toHaveLength(2);
    expect(due[1]).toEqual(due[0]);
    expect(due[0]!.nextAt.getTime()).toBeGreaterThanOrEqual(firstDue.getTime() + 10_000);
  });

  it('of an action are independent at an endpoint without an order', async () => {
    const { customerId } = await customerWithEndpoint({ ordering: 'none' });
    const { send, received } = scriptedReceiver((message) =>
      eventOf(message).type === 'action.created' ? rejected(500) : ACCEPTED,
    );
    work(send);
    await completedAction(customerId);
    await until(() => new Set(received.map(({ id }) => id)).size === 3);
  });

  it('are sent again after a rejection, with the same id and body and a new time', async () => {
    const { customerId } = await customerWithEndpoint({ eventTypes: ['action.created'] });
    let attempts = 0;
    const { send, received } = scriptedReceiver(() => ((attempts += 1) === 1 ? rejected(503, 10) : ACCEPTED));
    work(send);
    await createSampleAction(world.database, { customerId });
    await until(async () => (await world.database.webhookAttempt.count()) >= 1);
    await makeDue(world.database);
    await until(() => received.length >= 2);
    expect(received[1]).toMatchObject({ id: received[0]!.id, body: received[0]!.body });
  });

  it('are never sent without a signature: the attempt fails', async () => {
    const { customerId, endpointId } = await customerWithEndpoint({ eventTypes: ['action.created'] });
    await world.database.webhookSecret.updateMany({ where: { endpointId }, data: { sealed: new Uint8Array(64) } });
    const { send, received } = scriptedReceiver();
    work(send);
    await createSampleAction(world.database, { customerId });
    await until(async () => (await world.database.webhookAttempt.count()) >= 1);
    const [attempt] = await world.database.webhookAttempt.findMany({ orderBy: { number: 'asc' } });
    expect(attempt).toMatchObject({ number: 1, failure: 'NO_SECRET' });
    expect(received).toEqual([]);
  });

  it('are sent again when a worker dies between sending and recording', async () => {
    const { customerId } = await customerWithEndpoint({ eventTypes: ['action.created'] });
    await createSampleAction(world.database, { customerId });
    await prepareAll();
    const [lost] = await claim();
    expect(await claim()).toEqual([]);
    await world.database.$executeRaw`UPDATE "WebhookDelivery" SET "leasedUntil" = now() - interval '1 second'`;
    const [again] = await claim();
    expect(again).toMatchObject({ id: lost!.id, eventId: lost!.eventId, attempts: 0 });
    // The dead worker was only slow: what it records late is discarded.
    expect(await record(lost!, rejected(500))).toBe(false);
    expect(await record(again!, ACCEPTED)).toBe(true);
    expect(await record(again!, ACCEPTED)).toBe(false);
  });

  it('that a stopping worker interrupts are released to others at once, without an attempt', async () => {
    const { customerId, endpointId } = await customerWithEndpoint({ eventTypes: ['action.created'] });
    const hanging = scriptedReceiver(
      (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined))),
    );
    const worker = startWorker(world.database, hanging.send);
    await createSampleAction(world.database, { customerId });
    await until(() => hanging.received.length === 1);
    await worker.stop();
    const other = scriptedReceiver();
    work(other.send);
    await until(async () => (await statesOf(endpointId)).join() === 'DELIVERED');
    expect(await world.database.webhookDelivery.findMany()).toMatchObject([{ attempts: 1 }]);
  });

  it('are parked after ten attempts, which frees the later events of the action', async () => {
    const { customerId, endpointId } = await customerWithEndpoint();
    await completedAction(customerId);
    await prepareAll();
    const steps = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    for (let number = 1; number <= 10; number += 1) {
      const [claimed, ...others] = await claim();
      expect(others).toEqual([]);
      expect(claimed).toMatchObject({ attempts: number - 1 });
      const from = await databaseTime();
      await record(claimed!, rejected(500));
      const step = steps[number - 1];
      if (step !== undefined) await expectDelays([[claimed!.id, step]], from);
      // The breaker would pause the endpoint.
      await world.database.webhookEndpoint.updateMany({ data: { openUntil: null, openings: 0 } });
      await makeDue(world.database);
    }
    expect(await statesOf(endpointId)).toEqual(['PARKED', 'WAITING', 'WAITING']);
    const [next] = await claim();
    expect(eventOf(next!).type).toBe('action.pending');
  });

  it('wait as long as the receiver requests, up to twice the step', async () => {
    const { customerId } = await customerWithEndpoint({ eventTypes: ['action.created'] });
    for (let count = 0; count < 3; count += 1) await createSampleAction(world.database, { customerId });
    await prepareAll();
    const claimed = await claim();
    const from = await databaseTime();
    for (const [index, seconds] of [7, 60, 999_999_999].entries())
      await record(claimed[index]!, rejected(429, seconds));
    await expectDelays(
      [7, 10, 10].map((seconds, index) => [claimed[index]!.id, seconds] as const),
      from,
    );
  });
});

describe('a slow endpoint', () => {
  it('leaves the next place to a newer one of its customer with fewer in flight', async () => {
    const slow = await customerWithEndpoint({ url: 'https://slow.example.com/' });
    const { customerId } = slow;
    for (let count = 0; count < 3; count += 1) await createSampleAction(world.database, { customerId });
    await prepareAll();
    expect(await claim(4)).toMatchObject([{ endpointId: slow.endpointId }]);
    const { endpoint: fast } = await addEndpoint(world.database, customerId, { eventTypes: ACTION_EVENTS });
    await createSampleAction(world.database, { customerId });
    await prepareAll();
    expect(await claim(8)).toMatchObject([{ endpointId: fast.id }]);
  });

  it('takes turns in no fixed order with others that have as many in flight', async () => {
    const { customerId, endpointId } = await customerWithEndpoint();
    const { endpoint } = await addEndpoint(world.database, customerId, { eventTypes: ACTION_EVENTS });
    await createSampleAction(world.database, { customerId });
    await prepareAll();
    const firsts = new Set<string>();
    for (let tries = 0; tries < 50; tries += 1) {
      const [claimed] = await claim(4);
      firsts.add(claimed!.endpointId);
      await releaseWebhook(world.database, claimed!);
    }
    expect([...firsts].toSorted()).toEqual([endpointId, endpoint.id].toSorted());
  });

  it('has at most four deliveries in flight and delays no other endpoint', async () => {
    const slow = await customerWithEndpoint({ url: 'https://slow.example.com/' });
    const fast = await customerWithEndpoint({ url: 'https://fast.example.com/' });
    let inFlight = 0;
    const { send, received } = scriptedReceiver(async ({ url }, signal) => {
      if (!url.includes('slow')) return ACCEPTED;
      inFlight += 1;
      await wait(60_000, undefined, { signal }).catch(() => undefined);
      return undefined;
    });
    work(send);
    for (let count = 0; count < 10; count += 1)
      await createSampleAction(world.database, { customerId: slow.customerId });
    await until(() => inFlight === 4);
    for (let count = 0; count < 10; count += 1)
      await createSampleAction(world.database, { customerId: fast.customerId });
    await until(() => received.filter(({ url }) => url.includes('fast')).length === 10);
    expect(inFlight).toBe(4);
  });

  it('of a customer with many such leaves places for other customers', async () => {
    const customerId = newCustomer();
    for (let count = 0; count < 10; count += 1) {
      await addEndpoint(world.database, customerId, {
        url: `https://slow${count}.example.com/`,
        eventTypes: ACTION_EVENTS,
      });
    }
    for (let count = 0; count < 6; count += 1) await createSampleAction(world.database, { customerId });
    const other = await customerWithEndpoint();
    await createSampleAction(world.database, { customerId: other.customerId });
    await prepareAll();
    const claimed = await claim(64);
    const of = (id: string) => claimed.filter((delivery) => delivery.customerId === id).length;
    expect([of(customerId), of(other.customerId)]).toEqual([16, 1]);
    expect((await claim(64)).length).toBe(0);
    // With fewer free places a customer takes fewer, and a new one still one.
    const third = await customerWithEndpoint();
    for (let count = 0; count < 3; count += 1)
      await createSampleAction(world.database, { customerId: third.customerId });
    await prepareAll();
    expect((await claim(3)).map((delivery) => delivery.customerId)).toEqual([third.customerId]);
  });
});
