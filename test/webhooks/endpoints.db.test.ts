import {
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  MAX_ENDPOINTS,
  rotateEndpointSecret,
  updateEndpoint,
} from '../../src/webhooks/endpoints';
import { replayParked } from '../../src/webhooks/delivery-log';
import { createCustomer } from '../../src/customers/customers';
import { findSecrets, rotateSecret } from '../../src/webhooks/secrets';
import { sendTestEvent } from '../../src/webhooks/test-event';
import { newCustomer } from '../actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { addEndpoint, HOOK, scriptedReceiver, sealer, startWorker, until } from './webhook-world';

let world: TestDatabase;
beforeAll(async () => {
  world = await createTestDatabase();
});
afterAll(() => world.drop());

const deps = () => ({ database: world.database, sealer, webhookUrls: { allowLoopback: false } });

describe('an endpoint', () => {
  it('shows its secret once, and stores it encrypted', async () => {
    const customerId = newCustomer();
    const { endpoint, secret } = await createEndpoint(deps(), { customerId, url: HOOK });
    expect(secret).toMatch(/^whsec_/);
    expect(await listEndpoints(deps(), customerId)).toEqual([endpoint]);
    expect(JSON.stringify(endpoint)).not.toContain(secret);
    const [row] = await world.database.webhookSecret.findMany({ where: { endpointId: endpoint.id } });
    expect(Buffer.from(row!.sealed).includes(secret.slice(6))).toBe(false);
    expect(await findSecrets(deps(), { customerId, endpointId: endpoint.id })).toEqual([secret]);
  });

  it.each([
    ['url', { url: 'http://example.com/' }],
    ['url', { url: 'https://10.0.0.1/' }],
    ['url', { url: 'https://a.example.com/\u0000x' }],
    ['eventTypes', { eventTypes: ['action.created', 'nonsense'] }],
    ['eventTypes', { eventTypes: ['action.created', 'action.created'] }],
    ['eventTypes', { eventTypes: ['webhook.test'] }],
    ['ordering', { ordering: 'strict' }],
  ])('is refused with a wrong %s: %j', async (path, settings) => {
    const customerId = newCustomer();
    const refused = { code: 'VALIDATION_ERROR', status: 422, details: { errors: [{ path }] } };
    await expect(createEndpoint(deps(), { customerId, url: HOOK, ...settings })).rejects.toMatchObject(refused);
    const { endpoint } = await createEndpoint(deps(), { customerId, url: HOOK });
    await expect(updateEndpoint(deps(), { customerId, endpointId: endpoint.id, ...settings })).rejects.toMatchObject(
      refused,
    );
  });

  it('is one of at most ten, also when they are created at the same time', async () => {
    const { id: customerId } = await createCustomer(world.database, { name: 'many' });
    const results = await Promise.allSettled(
      Array.from({ length: MAX_ENDPOINTS + 5 }, () => createEndpoint(deps(), { customerId, url: HOOK })),
    );
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(refused).toHaveLength(5);
    for (const error of refused) expect(error).toMatchObject({ code: 'WEBHOOK_ENDPOINT_LIMIT_REACHED', status: 409 });
    const [first] = await listEndpoints(deps(), customerId);
    await deleteEndpoint(deps(), { customerId, endpointId: first!.id });
    await createEndpoint(deps(), { customerId, url: HOOK });
    expect(await listEndpoints(deps(), customerId)).toHaveLength(MAX_ENDPOINTS);
  });

  it('is absent for every other customer', async () => {
    const { endpoint } = await addEndpoint(world.database, newCustomer());
    const foreign = { customerId: newCustomer(), endpointId: endpoint.id };
    const attempts = [
      updateEndpoint(deps(), { ...foreign, enabled: false }),
      deleteEndpoint(deps(), foreign),
      rotateEndpointSecret(deps(), foreign),
      sendTestEvent(deps(), foreign),
    ];
    for (const attempt of attempts) await expect(attempt).rejects.toMatchObject({ code: 'WEBHOOK_ENDPOINT_NOT_FOUND' });
    expect(await listEndpoints(deps(), foreign.customerId)).toEqual([]);
  });

  it('receives no test event and no replay while it is not enabled', async () => {
    const customerId = newCustomer();
    const { endpoint } = await addEndpoint(world.database, customerId, { enabled: false });
    const key = { customerId, endpointId: endpoint.id };
    for (const attempt of [sendTestEvent, replayParked]) {
      await expect(attempt(deps(), key)).rejects.toMatchObject({
        code: 'WEBHOOK_ENDPOINT_NOT_ENABLED',
        message: expect.stringContaining(endpoint.id),
      });
    }
  });

  it('receives a test event, whatever types it takes', async () => {
    const customerId = newCustomer();
    const { endpoint } = await addEndpoint(world.database, customerId, { eventTypes: ['kyc.updated'] });
    const { send, received } = scriptedReceiver();
    const worker = startWorker(world.database, send);
    await sendTestEvent(deps(), { customerId, endpointId: endpoint.id });
    await until(() => received.length === 1);
    await worker.stop();
    expect(JSON.parse(received[0]!.body)).toMatchObject({ type: 'webhook.test', data: { endpointId: endpoint.id } });
  });
});

describe('a secret', () => {
  it('signs beside its successor, and the one before ends at once', async () => {
    const customerId = newCustomer();
    const { endpoint, secret: first } = await createEndpoint(deps(), { customerId, url: HOOK });
    const owner = { customerId, endpointId: endpoint.id };
    const second = await rotateSecret(deps(), owner);
    expect(await findSecrets(deps(), owner)).toEqual([second, first]);
    const third = await rotateSecret(deps(), owner);
    expect(await findSecrets(deps(), owner)).toEqual([third, second]);
    await world.database.webhookSecret.updateMany({
      where: { endpointId: endpoint.id, expiresAt: { not: null } },
      data: { expiresAt: new Date(0) },
    });
    expect(await findSecrets(deps(), owner)).toEqual([third]);
  });

  it('that cannot be opened any more does not stop the one that can', async () => {
    const customerId = newCustomer();
    const { endpoint } = await createEndpoint(deps(), { customerId, url: HOOK });
    const owner = { customerId, endpointId: endpoint.id };
    const current = await rotateSecret(deps(), owner);
    await world.database.webhookSecret.updateMany({
      where: { endpointId: endpoint.id, expiresAt: { not: null } },
      data: { sealed: new Uint8Array(64) },
    });
    expect(await findSecrets(deps(), owner)).toEqual([current]);
  });

  it('of a customer is made when the URL of a quote first needs it, once', async () => {
    const owner = { customerId: newCustomer(), endpointId: undefined };
    const found = await Promise.all(Array.from({ length: 5 }, () => findSecrets(deps(), owner)));
    expect(new Set(found.flat()).size).toBe(1);
    const next = await rotateSecret(deps(), owner);
    expect(await findSecrets(deps(), owner)).toEqual([next, found[0]![0]]);
  });

  it('is not made for an endpoint that is deleted while its rotation begins', async () => {
    const customerId = newCustomer();
    const { endpoint } = await createEndpoint(deps(), { customerId, url: HOOK });
    const owner = { customerId, endpointId: endpoint.id };
    await deleteEndpoint(deps(), owner);
    await expect(rotateSecret(deps(), owner)).rejects.toMatchObject({ code: 'WEBHOOK_ENDPOINT_NOT_FOUND' });
    expect(await findSecrets(deps(), owner)).toEqual([]);
  });

  it('survives concurrent rotations: exactly one is current', async () => {
    const owner = { customerId: newCustomer(), endpointId: undefined };
    const rotated = await Promise.all(Array.from({ length: 4 }, () => rotateSecret(deps(), owner)));
    const secrets = await findSecrets(deps(), owner);
    expect(secrets).toHaveLength(2);
    for (const secret of secrets) expect(rotated).toContain(secret);
  });
});
