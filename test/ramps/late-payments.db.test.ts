import { randomUUID } from 'node:crypto';
import { runAdmin } from '../../src/admin/run-admin';
import { withDeployment } from '../../src/admin/with-deployment';
import { expireActions } from '../../src/actions/state/expire-actions';
import type { DeliveryDeps } from '../../src/actions/delivery/delivery-deps';
import { receiveRampCallback } from '../../src/actions/receive-ramp-callback';
import type { DeliveryState } from '../../src/venues/delivery-source';
import { delivered, deskOf, poll } from '../actions/delivery-desk';
import { historyOf, sampleToken } from '../actions/sample-action';
import {
  BRIDGE,
  createSampleTransfer,
  scriptedSource,
  type ScriptedSource,
  someHash,
} from '../actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { BRL, chains } from '../swaps/swap-world';

const CHAIN = 31_337;
const USDC = sampleToken('USDC', { chainId: CHAIN });
const UNPAID: DeliveryState = { status: 'inFlight', waitingFor: 'DEPOSIT' };
const PAID: DeliveryState = { status: 'inFlight', waitingFor: 'DESTINATION' };

let test: TestDatabase;
let source: ScriptedSource;
beforeEach(async () => {
  test = await createTestDatabase();
  source = scriptedSource();
  source.respondWith(UNPAID);
});
afterEach(() => test.drop());

const actionOf = (id: string) =>
  test.database.action.findUniqueOrThrow({ where: { id }, include: { steps: { orderBy: { stepIndex: 'asc' } } } });
const deliveryOf = (actionId: string) => test.database.delivery.findUniqueOrThrow({ where: { actionId } });
const pollNow = (id: string): Promise<void> => {
  const deps: DeliveryDeps = { ...deskOf(test.database, source), chains };
  return poll(deps, id);
};

/** An on-ramp by wire for USDC that expired without a deposit. */
async function unpaid(): Promise<string> {
  const { id, customerId } = await createSampleTransfer(test.database, {
    type: 'ON_RAMP_FIAT',
    chainIdIn: 0,
    chainIdOut: CHAIN,
    tokenIn: BRL,
    tokenOut: USDC,
    expiresAt: new Date(Date.now() - 1000),
    deposit: { address: 'WIRE', reference: 'ticket' },
    steps: [
      { kind: 'FIAT_IN', operator: 'USER', protocol: BRIDGE, chainId: 0 },
      { kind: 'TRANSFER', operator: 'PROVIDER', protocol: BRIDGE, chainId: CHAIN },
    ],
  });
  const ticket = { customerId, provider: 'primary', ticketId: `ticket of ${id}`, profileId: randomUUID() };
  await test.database.rampTicket.create({
    data: { ...ticket, actionId: id, accountId: 'account', request: new Uint8Array([1]) },
  });
  await pollNow(id);
  expect(await expireActions(test)).toBe(1);
  return id;
}

const ago = (days: number): Date => new Date(Date.now() - days * 86_400_000);
const endedAgo = async (id: string, days: number): Promise<void> => {
  await test.database.action.update({ where: { id }, data: { finishedAt: ago(days) } });
  await test.database.delivery.update({ where: { actionId: id }, data: { pollCount: 2000 } });
};
const isWatched = async (id: string): Promise<boolean> => (await deliveryOf(id)).nextPollAt !== null;

describe('a deposit after the expiry of its action', () => {
  it('is recorded, and the settlement is stored with the action, which stays FAILED', async () => {
    const id = await unpaid();
    source.respondWith(PAID);
    await pollNow(id);
    expect(source.polled.at(-1)).toMatchObject({ isExpired: true });
    expect((await actionOf(id)).steps.map(({ status }) => status)).toEqual(['CONFIRMED', 'SKIPPED']);
    const txHash = someHash();
    source.respondWith(delivered(txHash));
    await pollNow(id);
    await pollNow(id);
    expect(await actionOf(id)).toMatchObject({
      status: 'FAILED',
      failureReason: expect.stringContaining('delivered nevertheless'),
      steps: [{ status: 'CONFIRMED' }, { status: 'CONFIRMED', txHash }],
    });
    expect((await historyOf(test.database, id)).slice(1)).toEqual(['INITIAL>FAILED EXPIRED', 'FAILED>FAILED EXPIRED']);
    expect(await isWatched(id)).toBe(false);
  });

  it('is REFUNDED when the service forwards the settlement, after any delay', async () => {
    const id = await unpaid();
    source.respondWith({
      status: 'refunding',
      reason: 'late',
      checkpoint: { payment: 'in the wallet of the service' },
    });
    await pollNow(id);
    expect(await actionOf(id)).toMatchObject({ status: 'FAILED', substatus: 'REFUND_QUEUED' });
    await endedAgo(id, 30);
    await test.database.actionStep.updateMany({ where: { actionId: id }, data: { updatedAt: ago(30) } });
    await pollNow(id);
    expect(await isWatched(id)).toBe(true);
    source.respondWith({ status: 'refunded', chainId: CHAIN, txHash: someHash(), amount: undefined, reason: 'late' });
    await pollNow(id);
    expect(await actionOf(id)).toMatchObject({ status: 'REFUNDED', substatus: 'REFUND_SENT' });
  });

  it('is polled for a week, and for a week after it was seen', async () => {
    const id = await unpaid();
    await endedAgo(id, 6);
    await pollNow(id);
    expect(await isWatched(id)).toBe(true);
    source.respondWith(PAID);
    await pollNow(id);
    source.respondWith(UNPAID);
    await endedAgo(id, 12);
    await pollNow(id);
    expect(await isWatched(id)).toBe(true);
    await endedAgo(id, 14);
    await test.database.actionStep.updateMany({ where: { actionId: id }, data: { updatedAt: ago(8) } });
    await pollNow(id);
    expect(await isWatched(id)).toBe(false);
  });

  it('is found after that by a callback of the ramp, once', async () => {
    const id = await unpaid();
    await endedAgo(id, 30);
    await pollNow(id);
    expect(await isWatched(id)).toBe(false);
    const hint = { ramp: 'primary', about: 'ticket', ticketId: `ticket of ${id}`, externalId: undefined } as const;
    await receiveRampCallback(test, { ...hint, eventId: 'paid' });
    source.respondWith(PAID);
    await pollNow(id);
    expect((await actionOf(id)).steps[0]).toMatchObject({ status: 'CONFIRMED' });
    source.respondWith(delivered());
    await pollNow(id);
    await pollNow(id);
    expect(await isWatched(id)).toBe(false);
    expect((await actionOf(id)).steps[1]).toMatchObject({ status: 'CONFIRMED' });
    await receiveRampCallback(test, { ...hint, eventId: 'paid again' });
    await pollNow(id);
    expect(await isWatched(id)).toBe(false);
  });

  it('is listed as stranded until it is resolved, and can be polled again by hand', async () => {
    const id = await unpaid();
    const admin = async (...args: readonly string[]): Promise<any> => {
      const deployment = { DATABASE_URL: test.url, API_KEY_PEPPER: 'ab'.repeat(32) };
      const { exitCode, output } = await runAdmin([...args, '--json'], (work) => withDeployment(deployment, work));
      return exitCode === 0 ? JSON.parse(output) : exitCode;
    };
    expect(await admin('ramp', 'stranded')).toEqual([]);
    source.respondWith(PAID);
    await pollNow(id);
    await endedAgo(id, 30);
    await test.database.actionStep.updateMany({ where: { actionId: id }, data: { updatedAt: ago(30) } });
    await pollNow(id);
    expect(await admin('ramp', 'stranded')).toMatchObject([{ actionId: id, provider: BRIDGE, watched: false }]);
    expect(await admin('ramp', 'resume', id)).toEqual({ actionId: id });
    expect(await admin('ramp', 'stranded')).toMatchObject([{ actionId: id, watched: true }]);
    source.respondWith(delivered());
    await pollNow(id);
    expect(await admin('ramp', 'stranded')).toEqual([]);
    expect(await admin('ramp', 'resume', randomUUID())).toBe(1);
    expect(await admin('ramp', 'resume', 'all')).toBe(2);
  });
});
