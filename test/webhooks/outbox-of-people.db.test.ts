import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { erasePeople } from '../../src/kyc/personal-data';
import { prepareEvents } from '../../src/webhooks/prepare-events';
import { newCustomer } from '../actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { addEndpoint, eventOf, render, sealer, silent, until } from './webhook-world';

let world: TestDatabase;
beforeAll(async () => {
  world = await createTestDatabase();
});
afterAll(() => world.drop());

const prepareAll = async (): Promise<void> => {
  while ((await prepareEvents({ database: world.database, log: silent, render })) > 0);
};
const eventsAbout = (subjectId: string) =>
  world.database.webhookEvent.findMany({ where: { subjectId }, orderBy: { occurredAt: 'asc' } });

/** Gives each event a time of its own, in milliseconds, so that the events have an order. */
const nextTime = (): Promise<void> => wait(5);

/** The database client ends a transaction after 10 seconds by default. */
const LONGER_THAN_UNTIL = { timeout: 25_000 };

const lockWaits = async (): Promise<number> => {
  const { rows } = await world.pool.query<{ count: number }>(`
    SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`);
  return rows[0]!.count;
};

async function customerWithEndpoint(eventTypes: readonly string[] = []) {
  const customerId = newCustomer();
  await addEndpoint(world.database, customerId, { eventTypes });
  return { customerId };
}

describe('the events of a KYC profile', () => {
  async function profile(customerId: string): Promise<string> {
    const id = randomUUID();
    const bytes = new Uint8Array(32).fill(7);
    await world.database.kycProfile.create({
      data: { id, customerId, person: bytes, taxIdIndex: new Uint8Array(Buffer.from(id)), emailIndex: bytes },
    });
    await world.database.kycWallet.create({
      data: { customerId, profileId: id, address: `0x${id.replaceAll('-', '')}` },
    });
    await world.database.rampAccount.create({ data: { profileId: id, provider: 'primary', customerId } });
    return id;
  }

  it('report changes of the verification that callers see, and only those', async () => {
    const { customerId } = await customerWithEndpoint(['kyc.updated']);
    const id = await profile(customerId);
    const where = { profileId: id };
    await world.database.rampAccount.updateMany({ where, data: { polledAt: new Date(), pollToken: randomUUID() } });
    await world.database.rampAccount.updateMany({ where, data: { status: 'provider_pending' } });
    await nextTime();
    await world.database.rampAccount.updateMany({ where, data: { status: 'approved', capabilities: { BRL: true } } });
    await prepareAll();
    const bodies = (await eventsAbout(id)).map(({ body }) => eventOf({ body: body! }));
    expect(bodies.map(({ type, data }) => [type, data['status'], data['brlaEnabled']])).toEqual([
      ['kyc.updated', 'provider_pending', false],
      ['kyc.updated', 'approved', true],
    ]);
    expect(bodies[0]!.data).toMatchObject({
      kycUserId: id,
      provider: 'primary',
      walletAddresses: [expect.any(String)],
    });
  });

  it('report a new account at the secondary ramp, which the status shows, and none at the primary one', async () => {
    const { customerId } = await customerWithEndpoint(['kyc.updated']);
    const id = await profile(customerId);
    expect(await eventsAbout(id)).toEqual([]);
    const data = { profileId: id, provider: 'secondary', customerId };
    await world.database.rampAccount.create({ data });
    await world.database.rampAccount.createMany({ data: [data], skipDuplicates: true });
    await prepareAll();
    const bodies = (await eventsAbout(id)).map(({ body }) => eventOf({ body: body! }));
    expect(bodies.map(({ type, data: status }) => [type, status['status'], status['ramps']])).toEqual([
      ['kyc.updated', 'created', { secondary: { status: 'created', capabilities: { BRL: false, USD: false } } }],
    ]);
  });

  it('report linked and unlinked wallets with those that remain', async () => {
    const { customerId } = await customerWithEndpoint(['wallet.linked', 'wallet.unlinked']);
    const id = await profile(customerId);
    const address = `0x${'b'.repeat(40)}`;
    await nextTime();
    await world.database.kycWallet.create({ data: { customerId, profileId: id, address } });
    await nextTime();
    await world.database.kycWallet.deleteMany({ where: { customerId, address } });
    await prepareAll();
    const bodies = (await eventsAbout(id)).map(({ body }) => eventOf({ body: body! }));
    const shown = bodies.map(({ type, data }) => [type, data['wallet'] === address, data['walletAddresses'].length]);
    expect(shown).toEqual([
      ['wallet.linked', false, 1],
      ['wallet.linked', true, 2],
      ['wallet.unlinked', true, 1],
    ]);
  });

  it('are erased with the person, prepared or not, also those of a change in progress', async () => {
    const { customerId } = await customerWithEndpoint();
    const id = await profile(customerId);
    const where = { profileId: id };
    await world.database.rampAccount.updateMany({ where, data: { status: 'provider_pending' } });
    await prepareAll();
    await world.database.rampAccount.updateMany({ where, data: { status: 'rejected_retryable' } });
    expect((await eventsAbout(id)).map(({ body }) => body === null)).toContain(true);
    expect((await eventsAbout(id)).map(({ body }) => body === null)).toContain(false);
    let erasing: Promise<unknown> = Promise.resolve();
    await world.database.$transaction(async (tx) => {
      await tx.rampAccount.updateMany({ where, data: { status: 'approved' } });
      erasing = erasePeople({ database: world.database, responseSealer: sealer }, { customerId, kycUserId: id });
      await until(async () => (await lockWaits()) > 0);
    }, LONGER_THAN_UNTIL);
    expect(await erasing).toEqual([{ kycUserId: id, erased: true }]);
    expect(await eventsAbout(id)).toEqual([]);
  });

  it('are dropped when the profile is erased in the same transaction', async () => {
    const { customerId } = await customerWithEndpoint();
    const id = await profile(customerId);
    await world.database.webhookEvent.deleteMany({ where: { subjectId: id } });
    await world.database.$transaction(async (tx) => {
      await tx.kycWallet.deleteMany({ where: { profileId: id } });
      await tx.kycProfile.update({ where: { id }, data: { erasedAt: new Date() } });
    });
    expect(await eventsAbout(id)).toEqual([]);
  });
});
