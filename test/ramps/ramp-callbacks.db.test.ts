import { constants, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { startPrimaryRampEmulator } from '../../devnet/emulators/primary-ramp/start-primary-ramp-emulator';
import { startSecondaryRampEmulator } from '../../devnet/emulators/secondary-ramp/start-secondary-ramp-emulator';
import { loadConfig } from '../../src/config/config';
import { createApiKey } from '../../src/customers/api-keys';
import { createCustomer } from '../../src/customers/customers';
import { type Infrastructure, openInfrastructure } from '../../src/main/infrastructure';
import { openRampCallbacks } from '../../src/main/ramp-callbacks';
import { startGateway } from '../../src/main/service';
import type { RampId } from '../../src/ramps/ramp-provider';
import { createSampleTransfer } from '../actions/sample-transfer';
import { evidenceOf } from '../kyc/kyc-bodies';
import { newWallet } from '../kyc/kyc-gateway';
import { until } from '../resilience/until';
import { LONG_DATABASE_TIMEOUT, NO_LOAD_SHEDDING } from '../setup/no-load-shedding';
import { createTestDatabase } from '../setup/test-database';

const SECRET = 'c3'.repeat(32);
const PEPPER = 'ab'.repeat(32);

function openLog() {
  const lines: string[] = [];
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      lines.push(line.toString());
      done();
    },
  });
  return { logger: pino({ level: 'debug' }, stream), text: () => lines.join('') };
}

/** The gateway of the service, and both emulated ramps, connected by HTTP only. */
async function startWorld() {
  const test = await createTestDatabase();
  const [primary, secondary] = await Promise.all([
    startPrimaryRampEmulator({ chains: [], control: { autoApproveMs: null } }),
    startSecondaryRampEmulator({ chains: [] }),
  ]);
  const log = openLog();
  const config = loadConfig({
    ...NO_LOAD_SHEDDING,
    ...LONG_DATABASE_TIMEOUT,
    DATABASE_URL: test.url,
    API_KEY_PEPPER: PEPPER,
    PORT: '0',
    SHUTDOWN_DRAIN_MS: '0',
    ALLOW_LOOPBACK_URLS: 'true',
    PERSONAL_DATA_KEYS: `1:${'cd'.repeat(32)}`,
    BLIND_INDEX_KEY: 'ef'.repeat(32),
    PRIMARY_RAMP_URL: primary.url,
    PRIMARY_RAMP_API_KEY: primary.apiKey,
    PRIMARY_RAMP_PRIVATE_KEY: primary.privateKey,
    RATE_LIMIT_PER_MINUTE_UNAUTHENTICATED: '10000',
    SECONDARY_RAMP_URL: secondary.url,
    SECONDARY_RAMP_API_KEY: secondary.apiKey,
    SECONDARY_RAMP_CALLBACK_SECRET: SECRET,
  });
  const infrastructure = openInfrastructure(config, log.logger);
  const gateway = await startGateway(infrastructure);
  const { id } = await createCustomer(test.database, { name: 'one' });
  const { key } = (await createApiKey({ database: test.database, pepper: PEPPER }, { customerId: id, label: 'one' }))!;
  const post = async (url: string, body: string, headers: Record<string, string> = {}): Promise<any> => {
    const response = await fetch(url, { method: 'POST', body, headers });
    return { status: response.status, body: await response.json() };
  };
  return {
    test,
    gateway,
    log,
    post,
    secondary,
    control: (path: string, body: string) => post(`${primary.url}/_control${path}`, body),
    call: (path: string, body: object) =>
      post(gateway.url + path, JSON.stringify(body), { 'x-api-key': key, 'content-type': 'application/json' }),
    async stop() {
      await gateway.close();
      await infrastructure.close();
      await Promise.all([primary.stop(), secondary.stop()]);
      await test.drop();
    },
  };
}

let world: Awaited<ReturnType<typeof startWorld>>;
beforeAll(async () => {
  world = await startWorld();
  await until(
    'both ramps call back',
    () => world.log.text().split('subscribed to the callbacks of a ramp').length === 3,
  );
});
afterAll(() => world.stop());

const LATER = new Date('2099-01-01T00:00:00Z');

async function openTicketOnce(provider: RampId): Promise<{ readonly actionId: string; readonly ticketId: string }> {
  const { database } = world.test;
  const { id: actionId, customerId } = await createSampleTransfer(database);
  const ticketId = randomUUID();
  const ticket = { actionId, customerId, provider, ticketId, profileId: randomUUID(), accountId: 'account' };
  await database.rampTicket.create({ data: { ...ticket, request: new Uint8Array([1]) } });
  await putOff(actionId);
  return { actionId, ticketId };
}

const putOff = (actionId: string) =>
  world.test.database.delivery.update({ where: { actionId }, data: { phase: 'ACTIVE', nextPollAt: LATER } });

async function isDue(actionId: string): Promise<boolean> {
  const { nextPollAt } = await world.test.database.delivery.findUniqueOrThrow({ where: { actionId } });
  return nextPollAt !== null && nextPollAt.getTime() < LATER.getTime();
}

describe('the primary ramp', () => {
  const called = (body: string, signature: string) =>
    world.post(`${world.gateway.url}/callbacks/primary-ramp`, body, { signature });
  const signed = async (body: string): Promise<string> => (await world.control('/sign', body)).body.signature;
  const eventOf = (ticketId: string): string =>
    JSON.stringify({ id: randomUUID(), subscription: 'TICKET', data: { ticket: { id: ticketId } } });

  it('has its decision about a person stored without a status request', async () => {
    const cpf = '12345678909';
    const person = { cpf, email: `ana.${cpf}@example.com`, walletAddress: newWallet() };
    const { kycUserId } = (await world.call('/api/v1/kyc/sessions', person)).body;
    const submitted = await world.call(`/api/v1/kyc/sessions/${kycUserId}/submit`, evidenceOf(cpf));
    expect(submitted.status).toBe(200);
    const account = () => world.test.database.rampAccount.findFirstOrThrow({ where: { profileId: kycUserId } });
    const { attemptId, status } = await account();
    expect(status).toBe('provider_pending');
    await world.control(`/attempts/${attemptId!}`, '{"result":"APPROVED"}');
    await until('the decision is stored', async () => (await account()).status === 'approved');
  });

  it('makes the delivery of a ticket due, once for an event', async () => {
    const { actionId, ticketId } = await openTicketOnce('primary');
    const body = eventOf(ticketId);
    const signature = await signed(body);
    expect(await called(body, signature)).toEqual({ status: 200, body: { received: true } });
    expect(await isDue(actionId)).toBe(true);
    await putOff(actionId);
    expect((await called(body, signature)).status).toBe(200);
    expect(await isDue(actionId)).toBe(false);
  });

  it('is not impersonated by other senders', async () => {
    const { actionId, ticketId } = await openTicketOnce('primary');
    const body = eventOf(ticketId);
    const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const forged = sign('sha256', Buffer.from(body), { key, padding: constants.RSA_PKCS1_PSS_PADDING });
    const ofAnother = await signed(eventOf('another'));
    for (const signature of [forged.toString('base64'), ofAnother, '']) {
      const { status, body: response } = await called(body, signature);
      expect([status, response.error.code]).toEqual([401, 'AUTHENTICATION_REQUIRED']);
    }
    expect(await isDue(actionId)).toBe(false);
  });

  it('gets a success response for an unknown subject', async () => {
    for (const body of ['{"data":{}}', 'not JSON']) expect((await called(body, await signed(body))).status).toBe(200);
  });
});

describe('the secondary ramp', () => {
  const eventOf = (ticketId: string): string =>
    JSON.stringify({ event: 'payin', event_id: randomUUID(), event_resource_id: ticketId, event_resource: {} });
  const called = (body: string, secret = SECRET) =>
    world.post(`${world.gateway.url}/callbacks/secondary-ramp/${secret}`, body);

  it('was subscribed with the secret URL, and sends to it', async () => {
    const headers = { authorization: world.secondary.apiKey };
    const { data } = await (await fetch(`${world.secondary.url}/v1/webhook-configs`, { headers })).json();
    const url = `${world.gateway.url}/callbacks/secondary-ramp/${SECRET}`;
    expect(data).toMatchObject([{ url, enabled: true }]);
  });

  it('makes the delivery of a ticket due, once for an event', async () => {
    const { actionId, ticketId } = await openTicketOnce('secondary');
    const body = eventOf(ticketId);
    expect(await called(body)).toEqual({ status: 200, body: { received: true } });
    expect(await isDue(actionId)).toBe(true);
    await putOff(actionId);
    expect((await called(body)).status).toBe(200);
    expect(await isDue(actionId)).toBe(false);
  });

  it('is not impersonated without the secret', async () => {
    const { actionId, ticketId } = await openTicketOnce('secondary');
    const { status, body } = await called(eventOf(ticketId), 'c4'.repeat(32));
    expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
    expect(await isDue(actionId)).toBe(false);
  });

  it('gets a success response for an unreadable callback, which has no effect', async () => {
    expect((await called('not JSON')).status).toBe(200);
    await until('it is logged', () => world.log.text().includes('a callback could not be read'));
  });
});

it('no secret is in the log', () => {
  expect(world.log.text()).toContain('/callbacks/secondary-ramp/:secret');
  expect(world.log.text()).not.toContain(SECRET);
});

describe('the subscription to callbacks', () => {
  const requestedUrls: string[] = [];
  const subscribing = (from: string, subscribe: () => Promise<void>) => {
    const log = openLog();
    const subscriptions = new Map([
      [
        'secondary',
        {
          baseUrl: from,
          subscribe: (url: string) => {
            requestedUrls.push(url);
            return subscribe();
          },
        },
      ],
    ]);
    const config = { SECONDARY_RAMP_CALLBACK_SECRET: SECRET };
    const parts = { config, log: log.logger, ramps: { subscriptions } } as unknown as Infrastructure;
    return { log, callbacks: openRampCallbacks(parts) };
  };
  beforeEach(() => (requestedUrls.length = 0));

  it('has the public URL, also below a path', async () => {
    const { callbacks } = subscribing('https://ramp.test', () => Promise.resolve());
    callbacks.subscribe('https://service.test/api/');
    await callbacks.stop();
    expect(requestedUrls).toEqual([`https://service.test/api/callbacks/secondary-ramp/${SECRET}`]);
  });

  it('has no local URL at a remote ramp', async () => {
    const { log, callbacks } = subscribing('https://ramp.test', () => Promise.resolve());
    for (const url of ['http://127.0.0.1:4000', 'http://localhost:4000', 'http://[::1]:4000']) callbacks.subscribe(url);
    await callbacks.stop();
    expect(requestedUrls).toEqual([]);
    expect(log.text()).toContain('PUBLIC_URL');
  });

  it('is logged without the URL when it fails, retried, and ends with the service', async () => {
    const { log, callbacks } = subscribing('https://ramp.test', () =>
      Promise.reject(new Error(`it refused https://service.test/callbacks/secondary-ramp/${SECRET}`)),
    );
    callbacks.subscribe('https://service.test');
    await until('it is logged', () => log.text().includes('"retryInMs":5000'));
    await callbacks.stop();
    expect(requestedUrls).toHaveLength(1);
    expect(log.text()).not.toContain(SECRET);
  });
});
