import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { purgeExpired } from './purge';

const CUSTOMER = '0197a3c0-0000-7000-8000-000000000001';
const SEALED = new Uint8Array([1, 2, 3]);
const MINUTE_MS = 60_000;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const ago = (minutes: number): Date => new Date(Date.now() - minutes * MINUTE_MS);
const AMOUNTS = { amountIn: 1, minAmountOut: 1, chainIdIn: 1, chainIdOut: 0 };

async function newQuote(deadline: Date): Promise<string> {
  const id = randomUUID();
  const route = { tokenIn: 'a', tokenOut: 'BRL', provider: 'primary', maxAmountIn: 1, expectedAmountOut: 1 };
  const json = { request: {}, view: {}, execution: {} };
  const data = { id, customerId: CUSTOMER, ...AMOUNTS, ...route, ...json, payout: SEALED, deadline };
  await test.database.quote.create({ data });
  return id;
}

const payoutOf = async (id: string) => (await test.database.quote.findUniqueOrThrow({ where: { id } })).payout;

async function newTicket(createdAt: Date, { started }: { readonly started: boolean }): Promise<string> {
  const actionId = randomUUID();
  const ids = { actionId, customerId: CUSTOMER, profileId: randomUUID(), provider: 'primary', accountId: 'a' };
  await test.database.rampTicket.create({ data: { ...ids, request: SEALED, createdAt } });
  const wallets = { originAddress: 'a', receiverAddress: 'pix', tokenIn: {}, tokenOut: {}, fees: {} };
  const action = { id: actionId, customerId: CUSTOMER, type: 'OFF_RAMP_FIAT', expiresAt: new Date(), amountOut: 1 };
  if (started) await test.database.action.create({ data: { ...action, ...AMOUNTS, ...wallets } });
  return actionId;
}

const exists = async (actionId: string) =>
  (await test.database.rampTicket.findUnique({ where: { actionId } })) !== null;

it('deletes the payout of expired quotes, and keeps their other fields', async () => {
  const [valid, over, long] = await Promise.all([ago(-5), ago(30), ago(61)].map(newQuote));
  await purgeExpired(test);
  expect(await payoutOf(valid!)).toEqual(SEALED);
  expect(await payoutOf(over!)).toEqual(SEALED); // a request that began in time may still need it
  expect(await payoutOf(long!)).toBeNull();
});

it('deletes tickets without an action once they can no longer get one', async () => {
  const day = 24 * 60;
  const fresh = await newTicket(ago(day - 60), { started: false });
  const orphan = await newTicket(ago(day + 60), { started: false });
  const kept = await newTicket(ago(day + 60), { started: true });
  await purgeExpired(test);
  expect(await Promise.all([fresh, orphan, kept].map(exists))).toEqual([true, false, true]);
});
