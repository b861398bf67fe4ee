import { listDeliveries, replayDelivery, replayParked } from '../../src/webhooks/delivery-log';
import { updateEndpoint } from '../../src/webhooks/endpoints';
import { MAX_BUSY_RECEIVERS } from '../../src/webhooks/limit-origins';
import { parkDeliveriesOfDisabled } from '../../src/webhooks/park-deliveries';
import { createSampleAction, newCustomer } from '../actions/sample-action';
import { ACCEPTED, makeDue, rejected, scriptedReceiver, until } from './webhook-world';
import { webhookDatabase } from './webhook-database';

const { world, work, customerWithEndpoint, completedAction, prepareAll, claim, record, statesOf } = webhookDatabase();

describe('an endpoint that fails', () => {
  it('is paused at ten attempts, and then tried with one delivery, at no cost for those that wait', async () => {
    const { customerId, endpointId } = await customerWithEndpoint({ eventTypes: ['action.created'] });
    for (let count = 0; count < 14; count += 1) await createSampleAction(world.database, { customerId });
    await prepareAll();
    let claimed = await claim();
    for (let failed = 0; failed < 10; failed += claimed.length, claimed = await claim()) {
      for (const delivery of claimed) await record(delivery, rejected(500));
    }
    expect(claimed).toEqual([]);
    await makeDue(world.database);
    expect(await claim()).toEqual([]);
    await world.database.webhookEndpoint.update({ where: { id: endpointId }, data: { openUntil: new Date(0) } });
    const probes = await claim();
    expect(probes).toHaveLength(1);
    await record(probes[0]!, ACCEPTED);
    expect(await claim()).toHaveLength(4);
    const attempts = await world.database.webhookDelivery.aggregate({ _sum: { attempts: true } });
    expect(attempts._sum.attempts).toBeLessThanOrEqual(13);
  });

  it('is disabled by a 410, keeps its later events parked, and gets them all by a replay', async () => {
    const { customerId, endpointId } = await customerWithEndpoint();
    await completedAction(customerId);
    await prepareAll();
    const [first] = await claim();
    await record(first!, rejected(410));
    const endpoint = await world.database.webhookEndpoint.findUniqueOrThrow({ where: { id: endpointId } });
    expect(endpoint).toMatchObject({ state: 'DISABLED', disabledReason: 'GONE' });
    expect(await claim()).toEqual([]);
    expect(await parkDeliveriesOfDisabled({ database: world.database })).toBe(2);
    await createSampleAction(world.database, { customerId });
    await prepareAll();
    expect(await statesOf(endpointId)).toEqual(['PARKED', 'PARKED', 'PARKED', 'PARKED']);
    const { database } = world;
    await expect(replayParked({ database }, { customerId, endpointId })).rejects.toMatchObject({
      code: 'WEBHOOK_ENDPOINT_NOT_ENABLED',
    });
    await database.webhookEndpoint.update({
      where: { id: endpointId },
      data: { state: 'ENABLED', disabledReason: null },
    });
    expect(await replayParked({ database }, { customerId, endpointId })).toBe(4);
    expect(await replayParked({ database }, { customerId, endpointId })).toBe(0);
    const again = await claim();
    expect(again.map(({ eventId }) => eventId)).toContain(first!.eventId);
  });

  it('is disabled after five days without a success, and enabled it starts anew', async () => {
    const { customerId, endpointId } = await customerWithEndpoint({ eventTypes: ['action.created'] });
    for (let count = 0; count < 2; count += 1) await createSampleAction(world.database, { customerId });
    await prepareAll();
    const where = { id: endpointId };
    const endpoint = () => world.database.webhookEndpoint.findUniqueOrThrow({ where });
    const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    await world.database.webhookEndpoint.update({ where, data: { openings: 40, failingSince: ago(119) } });
    const [first] = await claim();
    await record(first!, rejected(500));
    expect(await endpoint()).toMatchObject({ state: 'ENABLED', openings: 41 });
    await world.database.webhookEndpoint.update({ where, data: { openUntil: null, failingSince: ago(121) } });
    const [second] = await claim();
    await record(second!, rejected(500));
    expect(await endpoint()).toMatchObject({ state: 'DISABLED', disabledReason: 'FAILING' });
    const webhookUrls = { allowLoopback: false };
    await updateEndpoint({ database: world.database, webhookUrls }, { customerId, endpointId, enabled: true });
    expect(await endpoint()).toMatchObject({ state: 'ENABLED', openings: 0, failingSince: null });
  });

  it('collects parked events while its customer has disabled it', async () => {
    const { customerId, endpointId } = await customerWithEndpoint({ eventTypes: ['action.created'] });
    const deps = { database: world.database, webhookUrls: { allowLoopback: false } };
    await updateEndpoint(deps, { customerId, endpointId, enabled: false });
    await createSampleAction(world.database, { customerId });
    await prepareAll();
    expect(await statesOf(endpointId)).toEqual(['PARKED']);
    await updateEndpoint(deps, { customerId, endpointId, enabled: true });
    expect(await replayParked(deps, { customerId, endpointId })).toBe(1);
  });

  it('is one of a limited number of origins that the URLs of quotes keep busy; what exceeds it is parked', async () => {
    const [customerId, other] = [newCustomer(), newCustomer()];
    const url = (index: number) => `https://h${String(index)}.example.com/`;
    for (let index = 0; index < MAX_BUSY_RECEIVERS + 3; index += 1)
      await createSampleAction(world.database, { customerId, webhookUrl: url(index) });
    await createSampleAction(world.database, { customerId: other, webhookUrl: url(0) });
    await prepareAll();
    const { webhookDelivery } = world.database;
    const parked = { customerId, state: 'PARKED', parkedReason: 'ORIGIN_LIMIT' };
    expect(await webhookDelivery.count({ where: parked })).toBe(3);
    expect(await webhookDelivery.count({ where: { state: 'WAITING' } })).toBe(MAX_BUSY_RECEIVERS + 1);
    // One that is busy already takes further events, and one that has ended leaves its place.
    await createSampleAction(world.database, { customerId, webhookUrl: url(0) });
    await prepareAll();
    expect(await webhookDelivery.count({ where: parked })).toBe(3);
    await webhookDelivery.updateMany({
      where: { customerId, state: 'WAITING', endpoint: { url: new URL(url(1)).origin } },
      data: { state: 'DELIVERED', finishedAt: new Date() },
    });
    await createSampleAction(world.database, { customerId, webhookUrl: url(99) });
    await createSampleAction(world.database, { customerId, webhookUrl: url(98) });
    await prepareAll();
    expect(await webhookDelivery.count({ where: parked })).toBe(4);
  });

  it('keeps a 410 from the URL of one quote to itself', async () => {
    const customerId = newCustomer();
    for (const path of ['a', 'b']) {
      await createSampleAction(world.database, { customerId, webhookUrl: `https://hooks.example.com/${path}` });
    }
    await prepareAll();
    const [gone, fine] = await claim();
    await record(gone!, rejected(410));
    await record(fine!, ACCEPTED);
    expect(await statesOf(gone!.endpointId)).toEqual(['DELIVERED', 'PARKED']);
    const endpoint = await world.database.webhookEndpoint.findUnique({ where: { id: gone!.endpointId } });
    expect(endpoint).toMatchObject({ kind: 'QUOTE', state: 'ENABLED' });
  });
});

describe('a replay', () => {
  it('sends the same id and body, and once for each request', async () => {
    const { customerId } = await customerWithEndpoint({ eventTypes: ['action.created'] });
    const { send, received } = scriptedReceiver();
    work(send);
    await createSampleAction(world.database, { customerId });
    await until(async () => (await world.database.webhookDelivery.count({ where: { state: 'DELIVERED' } })) === 1);
    const { deliveries } = await listDeliveries({ database: world.database }, { customerId });
    const deliveryId = deliveries[0]!.id;
    await replayDelivery({ database: world.database }, { customerId, deliveryId });
    await until(() => received.length === 2);
    expect(received[1]).toMatchObject({ id: received[0]!.id, body: received[0]!.body });
    await expect(
      replayDelivery({ database: world.database }, { customerId: newCustomer(), deliveryId }),
    ).rejects.toMatchObject({ code: 'WEBHOOK_DELIVERY_NOT_FOUND' });
  });
});

describe('the log of deliveries', () => {
  it('shows those of the customer alone, by page and filter, the newest first', async () => {
    const { customerId, endpointId } = await customerWithEndpoint();
    const other = await customerWithEndpoint();
    const action = await completedAction(customerId);
    await completedAction(customerId);
    await completedAction(other.customerId);
    await prepareAll();
    const { database } = world;
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page = await listDeliveries({ database }, { customerId, first: 4, after });
      seen.push(...page.deliveries.map(({ id }) => id));
      after = page.hasNextPage ? page.endCursor : null;
    } while (after !== null);
    expect(new Set(seen).size).toBe(6);
    const about = await listDeliveries({ database }, { customerId, subjectId: action, type: 'action.created' });
    expect(about.deliveries).toMatchObject([
      { endpointId, type: 'action.created', subjectId: action, state: 'WAITING' },
    ]);
    expect((await listDeliveries({ database }, { customerId, state: 'PARKED' })).deliveries).toEqual([]);
    expect((await listDeliveries({ database }, { customerId, endpointId: other.endpointId })).deliveries).toEqual([]);
    for (const wrong of [{ first: 0 }, { first: 101 }, { after: 'x' }, { type: 'action.created' }]) {
      await expect(listDeliveries({ database }, { customerId, ...wrong })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    }
  });
});
