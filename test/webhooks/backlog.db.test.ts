import { readWebhookBacklog } from '../../src/webhooks/backlog';
import { claimWebhooks } from '../../src/webhooks/claim-deliveries';
import { changeStatus } from '../../src/actions/state/change-status';
import { createSampleAction, newCustomer } from '../actions/sample-action';
import { addEndpoint, rejected } from './webhook-world';
import { webhookDatabase } from './webhook-database';

const { world, customerWithEndpoint, prepareAll, claim, record } = webhookDatabase();

const backlog = () => readWebhookBacklog(world.pool);
const NOTHING = { oldestDueSeconds: 0, parked: 0, failed: 0 };

/** Makes what waits due since an hour. */
const ageDeliveries = () =>
  world.database.$executeRaw`UPDATE "WebhookDelivery" SET "nextAt" = now() - interval '1 hour' WHERE state = 'WAITING'`;

/** The age, to the hour: a slow machine adds seconds. */
const oldestHours = async (): Promise<number> => Math.floor((await backlog())!.oldestDueSeconds / 3600);

describe('the backlog', () => {
  it('shows the age of what could be sent and what is parked, and not what waits for a paused endpoint', async () => {
    const { database } = world;
    const { customerId, endpointId } = await customerWithEndpoint({ eventTypes: ['action.created'] });
    expect(await backlog()).toEqual(NOTHING);
    for (let count = 0; count < 2; count += 1) await createSampleAction(database, { customerId });
    await database.$executeRaw`UPDATE "WebhookEvent" SET "dueAt" = now() - interval '2 hours'`;
    expect(await oldestHours()).toBe(2);
    await prepareAll();
    await ageDeliveries();
    expect(await oldestHours()).toBe(1);
    const where = { id: endpointId };
    await database.webhookEndpoint.update({ where, data: { openUntil: new Date(Date.now() + 3_600_000) } });
    expect(await backlog()).toEqual(NOTHING);
    const [one] = await database.webhookDelivery.findMany({ take: 1 });
    await database.webhookDelivery.update({
      where: { id: one!.id },
      data: { state: 'PARKED', parkedReason: 'EXHAUSTED' },
    });
    expect(await backlog()).toEqual({ ...NOTHING, parked: 1 });
  });

  it('has no age from an endpoint that is tried after a pause', async () => {
    const { customerId, endpointId } = await customerWithEndpoint({ eventTypes: ['action.created'] });
    await createSampleAction(world.database, { customerId });
    await prepareAll();
    await ageDeliveries();
    expect(await oldestHours()).toBe(1);
    await world.database.webhookEndpoint.update({ where: { id: endpointId }, data: { openings: 1 } });
    expect(await backlog()).toEqual(NOTHING);
  });

  it('has no age from a customer whose slow receivers take all of its places', async () => {
    const customerId = newCustomer();
    for (let count = 0; count < 5; count += 1)
      await addEndpoint(world.database, customerId, { eventTypes: ['action.created'] });
    for (let count = 0; count < 4; count += 1) await createSampleAction(world.database, { customerId });
    await prepareAll();
    await ageDeliveries();
    expect(await oldestHours()).toBe(1);
    expect(await claim(64)).toHaveLength(16);
    expect(await backlog()).toEqual(NOTHING);
    const other = await customerWithEndpoint({ eventTypes: ['action.created'] });
    await createSampleAction(world.database, { customerId: other.customerId });
    await prepareAll();
    await ageDeliveries();
    expect(await oldestHours()).toBe(1);
  });

  it('has no age from a delivery that a rejected one holds, and such a one starts no claim', async () => {
    const { customerId } = await customerWithEndpoint();
    const { id } = await createSampleAction(world.database, { customerId });
    await prepareAll();
    const [first] = await claim();
    await record(first!, rejected(500, 10));
    await world.database.$executeRaw`UPDATE "WebhookDelivery" SET "nextAt" = now() + interval '1 hour'`;
    await world.database.$transaction((tx) => changeStatus(tx, id, { transition: 'originSeen' }));
    await prepareAll();
    // As when the second event is prepared while the rejection of the first one is recorded.
    await world.database.$executeRaw`
      UPDATE "WebhookDelivery" SET "nextAt" = now() - interval '1 hour' WHERE id <> ${first!.id}::uuid`;
    expect(await backlog()).toEqual(NOTHING);
    const $transaction = jest.fn();
    const $queryRaw = world.database.$queryRaw.bind(world.database);
    expect(await claimWebhooks({ database: { $queryRaw, $transaction } }, 64)).toEqual([]);
    expect($transaction).not.toHaveBeenCalled();
  });
});
