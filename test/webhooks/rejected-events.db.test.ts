import { prepareEvents, type RenderWebhook } from '../../src/webhooks/prepare-events';
import { createSampleAction, newCustomer } from '../actions/sample-action';
import { HOOK, render, silent } from './webhook-world';
import { webhookDatabase } from './webhook-database';

const { world, customerWithEndpoint, prepareAll } = webhookDatabase();

const eventAbout = (subjectId: string) => world.database.webhookEvent.findFirst({ where: { subjectId } });
const prepareWith = (rendered: RenderWebhook) =>
  prepareEvents({ database: world.database, log: silent, render: rendered });

/** Renders the events of one action in another way. */
const renderOne =
  (id: string, special: () => ReturnType<RenderWebhook>): RenderWebhook =>
  (tx, event) =>
    event.subjectId === id ? special() : render(tx, event);

describe('an event that the database rejects', () => {
  it('because of the host of a stored URL is set aside, and stops no webhook of another customer', async () => {
    const other = await customerWithEndpoint({ eventTypes: ['action.created'] });
    const letters = Array.from({ length: 1000 }, (_, index) => String.fromCharCode(0x4e00 + ((index * 7919) % 20_000)));
    const webhookUrl = `https://${letters.join('')}.example.com/`;
    const long = await createSampleAction(world.database, { customerId: newCustomer(), webhookUrl });
    const { id } = await createSampleAction(world.database, { customerId: other.customerId });
    await prepareAll();
    expect(await eventAbout(long.id)).toMatchObject({ body: null, failure: expect.stringContaining('253') });
    expect(await eventAbout(id)).toMatchObject({ body: expect.any(String), failure: null });
    expect(await world.database.webhookDelivery.count()).toBe(1);
  });

  it('for any reason is set aside with its state, and the others of its batch are sent', async () => {
    const { customerId } = await customerWithEndpoint({ eventTypes: ['action.created'] });
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.push((await createSampleAction(world.database, { customerId })).id);
    const url = `${HOOK}?\u0000`;
    expect(await prepareWith(renderOne(ids[1]!, () => Promise.resolve({ data: {}, url })))).toBe(3);
    const bodies = await Promise.all(ids.map(async (id) => (await eventAbout(id))!.body !== null));
    expect(bodies).toEqual([true, false, true]);
    expect(await eventAbout(ids[1]!)).toMatchObject({
      failure: expect.any(String),
      preparedAt: expect.any(Date),
      snapshot: expect.objectContaining({ id: ids[1]! }),
    });
    expect(await world.database.webhookDelivery.count()).toBe(2);
  });

  it.each([0, 1])('is set aside with its reason, wherever that is cut (%i)', async (offset) => {
    const { customerId } = await customerWithEndpoint({ eventTypes: ['action.created'] });
    const { id } = await createSampleAction(world.database, { customerId });
    const reason = `${'x'.repeat(offset)}${'😀'.repeat(300)}`;
    await prepareWith(renderOne(id, () => Promise.reject(new Error(reason))));
    expect((await eventAbout(id))!.failure).toContain('😀');
  });

  it('because it is not available keeps its events for the next attempt', async () => {
    const { customerId } = await customerWithEndpoint({ eventTypes: ['action.created'] });
    const { id } = await createSampleAction(world.database, { customerId });
    const outage = Object.assign(new Error('no connection'), { name: 'PrismaClientKnownRequestError', code: 'P2024' });
    await expect(prepareWith(renderOne(id, () => Promise.reject(outage)))).rejects.toBe(outage);
    expect(await eventAbout(id)).toMatchObject({ preparedAt: null, failure: null });
    expect(await prepareWith(render)).toBe(1);
    expect(await eventAbout(id)).toMatchObject({ body: expect.any(String) });
  });
});
