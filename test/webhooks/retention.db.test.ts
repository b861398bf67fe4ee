import { removeExpired } from '../../src/persistence/retention/remove-expired';
import { deleteEndpoint } from '../../src/webhooks/endpoints';
import { prepareEvents } from '../../src/webhooks/prepare-events';
import { findSecrets, rotateSecret } from '../../src/webhooks/secrets';
import { createSampleAction, newCustomer } from '../actions/sample-action';
import { RETENTION } from '../setup/retention-settings';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import {
  addEndpoint,
  HOOK,
  rejected,
  render,
  scriptedReceiver,
  sealer,
  silent,
  startWorker,
  until,
} from './webhook-world';

let world: TestDatabase;
beforeEach(async () => {
  world = await createTestDatabase();
});
afterEach(() => world.drop());

const purge = () => removeExpired({ pool: world.pool, settings: RETENTION }, new AbortController().signal);
const age = (table: string, column: string, days: number) =>
  world.pool.query(`UPDATE "${table}" SET "${column}" = "${column}" - make_interval(days => $1)`, [days]);

test('a webhook is kept for 30 days, unless it waits, and the log of its attempts for 7', async () => {
  const { database } = world;
  const customerId = newCustomer();
  await addEndpoint(database, customerId, { eventTypes: ['action.created'] });
  const { send, received } = scriptedReceiver(() => rejected(500, 10));
  const worker = startWorker(database, send);
  await createSampleAction(database, { customerId });
  await until(async () => received.length >= 1 && (await database.webhookAttempt.count()) >= 1);
  await worker.stop();
  const attempts = await database.webhookAttempt.count(); // a slow machine may have tried again
  await age('WebhookAttempt', 'at', 6);
  await age('WebhookEvent', 'preparedAt', 31);
  expect(await purge()).toEqual({});
  await age('WebhookAttempt', 'at', 2);
  expect(await purge()).toEqual({ 'attempts of webhooks': attempts });
  await database.webhookDelivery.updateMany({
    data: { state: 'PARKED', parkedReason: 'EXHAUSTED', finishedAt: new Date() },
  });
  expect(await purge()).toEqual({ 'events of webhooks': 1 });
  expect(await database.webhookDelivery.count()).toBe(0);
});

test('a deleted endpoint, and the origin of the URLs of quotes, go when nothing refers to them', async () => {
  const { database } = world;
  const customerId = newCustomer();
  const { endpoint } = await addEndpoint(database, customerId);
  const { endpoint: kept } = await addEndpoint(database, customerId);
  await deleteEndpoint({ database }, { customerId, endpointId: endpoint.id });
  const origin = { id: newCustomer(), customerId, url: 'https://a.example.com', kind: 'QUOTE' };
  const failing = { id: newCustomer(), customerId, url: 'https://c.example.com', kind: 'QUOTE', state: 'DISABLED' };
  await database.webhookEndpoint.create({ data: { ...failing, disabledReason: 'FAILING' } });
  const disabled = { ...origin, id: newCustomer(), url: 'https://b.example.com', state: 'DISABLED' };
  await database.webhookEndpoint.createMany({ data: [origin, { ...disabled, disabledReason: 'CUSTOMER' }] });
  expect(await purge()).toEqual({});
  await age('WebhookEndpoint', 'updatedAt', 31);
  expect(await purge()).toEqual({ 'webhook endpoints that are deleted or were made for quotes': 3 });
  const left = await database.webhookEndpoint.findMany({ select: { id: true } });
  expect(left.map(({ id }) => id).toSorted()).toEqual([kept.id, disabled.id].toSorted());
});

test('a rotated secret goes a day after it ended', async () => {
  const { database } = world;
  const owner = { customerId: newCustomer(), endpointId: undefined };
  await rotateSecret({ database, sealer }, owner);
  const current = await rotateSecret({ database, sealer }, owner);
  expect(await purge()).toEqual({});
  await age('WebhookSecret', 'expiresAt', 3);
  expect(await purge()).toEqual({ 'rotated secrets of webhooks': 1 });
  expect(await findSecrets({ database, sealer }, owner)).toEqual([current]);
});

test('an origin that the URL of a quote names again is kept for it', async () => {
  const { database } = world;
  const customerId = newCustomer();
  await database.webhookEndpoint.create({
    data: { id: newCustomer(), customerId, url: new URL(HOOK).origin, kind: 'QUOTE' },
  });
  await age('WebhookEndpoint', 'updatedAt', 31);
  await createSampleAction(database, { customerId, webhookUrl: HOOK });
  await prepareEvents({ database, log: silent, render });
  const [endpoint] = await database.webhookEndpoint.findMany();
  expect(Date.now() - endpoint!.updatedAt.getTime()).toBeLessThan(60_000);
  expect(await database.webhookDelivery.count({ where: { endpointId: endpoint!.id } })).toBe(1);
});
