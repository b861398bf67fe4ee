import { listDeliveries, replayDelivery, replayParked } from '../../src/webhooks/delivery-log';
import { updateEndpoint } from '../../src/webhooks/endpoints';
import { MAX_FAILING_RECEIVERS, MAX_WAITING_RECEIVERS } from '../../src/webhooks/limit-origins';
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

  it('is one of a limited number of origins that the URLs of quotes keep waiting; what exceeds it is parked', async () => {
    const [customerId, other] = [newCustomer(), newCustomer()];
    const url = (index: number) => `https://h${String(index)}.example.com/`;
    const { webhookDelivery } = world.database;
    const parked = { customerId, state: 'PARKED', parkedReason: 'ORIGIN_LIMIT' };
    for (let index = 0; index < MAX_FAILING_RECEIVERS + 3; index += 1)
      await createSampleAction(world.database, { customerId, webhookUrl: url(index) });
    await prepareAll();
    // After a pause of the workers many receivers wait at the same time, and none of them has rejected anything.
    expect(await webhookDelivery.count({ where: { state: 'WAITING' } })).toBe(MAX_FAILING_RECEIVERS + 3);
    const failing = [...Array(MAX_FAILING_RECEIVERS).keys()].map((index) => new URL(url(index)).origin);
    await webhookDelivery.updateMany({ where: { endpoint: { url: { in: failing } } }, data: { attempts: 1 } });
    for (const customer of [customerId, other])
      await createSampleAction(world.database, { customerId: customer, webhookUrl: url(200) });
    // One that waits already takes further events.
    for (const index of [0, MAX_FAILING_RECEIVERS])
      await createSampleAction(world.database, { customerId, webhookUrl: url(index) });
    await prepareAll();
    expect(await webhookDelivery.count({ where: { state: 'PARKED' } })).toBe(1);
    expect(await webhookDelivery.count({ where: parked })).toBe(1);
    // One that has ended leaves its place.
    await webhookDelivery.updateMany({
      where: { customerId, endpoint: { url: failing[0]! } },
      data: { state: 'DELIVERED', finishedAt: new Date() },
    });
    await createSampleAction(world.database, { customerId, webhookUrl: url(201) });
    await prepareAll();
    expect(await webhookDelivery.count({ where: parked })).toBe(1);
  });

  it('is one of a limited number of origins also before any of them has responded', async () => {
    const customerId = newCustomer();
    await createSampleAction(world.database, { customerId, webhookUrl: 'https://first.example.com/' });
    await prepareAll();
    await world.database.$executeRaw`
      WITH added AS (
        INSERT INTO "WebhookEndpoint" (id, "customerId", url, kind)
        SELECT gen_random_uuid(), ${customerId}::uuid, 'https://h' || n || '.example.com', 'QUOTE'
          FROM generate_series(2, ${MAX_WAITING_RECEIVERS}::int) AS n
        RETURNING id
      )
      INSERT INTO "WebhookDelivery" (id, "customerId", "eventId", "endpointId")
      SELECT gen_random_uuid(), event."customerId", event.id, added.id FROM added, "WebhookEvent" AS event`;
    for (const host of ['h2', 'last'])
      await createSampleAction(world.database, { customerId, webhookUrl: `https://${host}.example.com/` });
    await prepareAll();
    const parked = await world.database.webhookDelivery.findMany({
      where: { state: 'PARKED' },
      select: { parkedReason: true, endpoint: { select: { url: true } } },
    });
    expect(parked).toEqual([{ parkedReason: 'ORIGIN_LIMIT', endpoint: { url: 'https://last.example.com' } }]);
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

  it('of a delivery that is being removed with its event finds nothing, and does not wait for the removal', async () => {
    const { customerId } = await customerWithEndpoint({ eventTypes: ['action.created'] });
    await createSampleAction(world.database, { customerId });
    await prepareAll();
    const { database } = world;
    const [delivery] = await claim();
    await record(delivery!, rejected(410));
    await database.webhookEndpoint.updateMany({ data: { state: 'ENABLED', disabledReason: null } });
    await database.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM "WebhookEvent" WHERE id = ${delivery!.eventId}::uuid FOR UPDATE`;
      const replayed = replayDelivery({ database }, { customerId, deliveryId: delivery!.id });
      await expect(replayed).rejects.toMatchObject({ code: 'WEBHOOK_DELIVERY_NOT_FOUND' });
      expect(await replayParked({ database }, { customerId, endpointId: delivery!.endpointId })).toBe(0);
    });
    expect(await replayParked({ database }, { customerId, endpointId: delivery!.endpointId })).toBe(1);
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
    const wrongInputs = [
      ...[{ first: 0 }, { first: 101 }, { after: 'x' }, { after: `0000-01-01T00:00:00Z_${action}` }],
      ...[{ type: 'action.created' }, { type: '\u0000', eventId: action }, { type: 'nonsense', subjectId: action }],
    ];
    for (const wrong of wrongInputs) {
      await expect(listDeliveries({ database }, { customerId, ...wrong })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        status: 422,
      });
    }
  });
});
