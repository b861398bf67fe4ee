import { serviceError } from '../../src/errors/service-error';
import { toBaseUnits } from '../../src/money/base-units';
import { type TicketParameters, openTicketOnce } from '../../src/venues/ramp/ramp-ticket';
import { createTicketStore, type TicketStore } from '../../src/ramps/ticket-store';
import { until } from '../resilience/until';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { testVault } from '../swaps/fake-fiat';
import { BOB, chains, rejection } from '../swaps/swap-world';
import { LOST, ON_RAMP, orderOf, pixTo, type ScriptedMoney, scriptedMoney } from './scripted-money';

let test: TestDatabase;
let tickets: TicketStore;
let money: ScriptedMoney;
beforeAll(async () => {
  test = await createTestDatabase();
  tickets = createTicketStore({ database: test.database, vault: testVault, chains });
});
afterAll(() => test.drop());
beforeEach(() => {
  money = scriptedMoney();
});

const open = (order: TicketParameters, changes: Partial<TicketStore> = {}) =>
  openTicketOnce({ ramp: money.ramp, tickets: { ...tickets, ...changes } }, order, AbortSignal.timeout(90_000));
const rowOf = ({ ticket: { externalId } }: TicketParameters) =>
  test.database.rampTicket.findUnique({ where: { actionId: externalId } });
const age = ({ ticket: { externalId } }: TicketParameters, seconds = 60) =>
  test.database.$executeRaw`
    UPDATE "RampTicket" SET "createdAt" = now() - make_interval(secs => ${seconds})
     WHERE "actionId" = ${externalId}::uuid`;
/** A quote that expired so long ago that its request cannot take effect any more. */
const longOver = () => ({ expiresAt: new Date(Date.now() - 61_000) });

/** Records the intent of a request, and stops before the request is sent. */
async function diesBeforeRequest(order: TicketParameters): Promise<void> {
  const dying = { ...money.ramp, openTicket: () => Promise.reject(LOST) };
  await rejection(openTicketOnce({ ramp: dying, tickets }, order, AbortSignal.timeout(90_000)));
  await age(order);
}

describe('the ticket of an action', () => {
  it.each([undefined, ON_RAMP])(
    'is requested once by twenty concurrent callers, which all get the same',
    async (route) => {
      const order = orderOf(route === undefined ? {} : { route });
      money.openingMs = 300;
      const results = await Promise.all(Array.from({ length: 20 }, () => open(order)));
      expect(money.opened).toHaveLength(1);
      expect(results).toEqual(results.map(() => results[0]));
      expect(results[0]).toMatchObject({ ticketId: money.ticketId() });
      expect(await open(order)).toEqual(results[0]);
      expect(await rowOf(order)).toMatchObject({
        ticketId: money.ticketId(),
        provider: 'primary',
        accountId: 'account-1',
      });
    },
  );

  it('is opened with a new quote of the ramp that is within the terms', async () => {
    money.quote = { amountOut: toBaseUnits(52_800n) };
    const order = orderOf({ minAmountOut: toBaseUnits(52_800n) });
    await open(order);
    const quote = { amountIn: 100_000_000n, amountOut: 52_800n };
    expect(money.opened).toMatchObject([{ ...order.ticket, quote, minAmountOut: 52_800n }]);
  });

  it('is not opened when an exact output costs more than the maximum', async () => {
    const exact = orderOf();
    const order = {
      ...exact,
      quoteRequest: { ...exact.quoteRequest, side: 'out' as const },
      maxAmountIn: 100_000_000n,
    };
    money.quote = { amountIn: toBaseUnits(100_000_001n) };
    expect(await rejection(open(order))).toMatchObject({ code: 'QUOTE_EXPIRED' });
    expect([money.opened, await rowOf(order)]).toEqual([[], null]);
    money.quote = { amountIn: toBaseUnits(100_000_000n) };
    await open(order);
    expect(money.opened).toMatchObject([{ quote: { amountIn: 100_000_000n } }]);
  });

  it('belongs to one action: a ramp that returns the same one twice is refused', async () => {
    const [mine, other] = [orderOf(), orderOf()];
    await open(mine);
    const { ticketId } = (await rowOf(mine))!;
    const confused = { ...money.ramp, openTicket: async () => ({ ...(await open(mine)), ticketId: ticketId! }) };
    const opening = openTicketOnce({ ramp: confused, tickets }, other, AbortSignal.timeout(90_000));
    expect(await rejection(opening)).toMatchObject({ code: 'BYTECODE_GENERATION_FAILED' });
    expect(await rowOf(other)).toMatchObject({ ticketId: null, ticket: null });
  });

  it('is not opened when the price has moved further than the slippage: the quote has expired', async () => {
    money.quote = { amountOut: toBaseUnits(52_799n) };
    const order = orderOf({ minAmountOut: toBaseUnits(52_800n) });
    expect(await rejection(open(order))).toMatchObject({ code: 'QUOTE_EXPIRED', status: 400 });
    expect([money.opened, await rowOf(order)]).toEqual([[], null]);
  });

  it('leaves nothing when the ramp refuses it, and may be requested again', async () => {
    const order = orderOf();
    for (const code of ['INVALID_PIX_KEY', 'RAMP_AMOUNT_OUT_OF_RANGE', 'QUOTE_EXPIRED'] as const) {
      money.response = serviceError(code as 'QUOTE_EXPIRED');
      expect(await rejection(open(order))).toMatchObject({ code });
      expect(await rowOf(order)).toBeNull();
    }
    money.response = 'opened';
    await open({ ...order, ticket: { ...order.ticket, payout: pixTo('+5511999990000') } });
    expect(money.opened).toHaveLength(1);
  });

  it('is not returned to a request with another payee, whatever the outcome of the first one', async () => {
    const order = orderOf();
    const other = (ticket: Partial<TicketParameters['ticket']>) => ({
      ...order,
      ticket: { ...order.ticket, ...ticket },
    });
    await open(order);
    const account = { ...order.ticket.account, accountId: 'account-2' };
    for (const change of [
      { payout: pixTo('eve@example.com') },
      { walletAddress: BOB },
      { refundAddress: BOB },
      { account },
    ]) {
      expect(await rejection(open(other(change)))).toMatchObject({ code: 'QUOTE_VALIDATION_ERROR' });
    }
    const onRamp = orderOf({ route: ON_RAMP });
    money.response = 'lost';
    await rejection(open(onRamp));
    const elsewhere = { ...onRamp, ticket: { ...onRamp.ticket, walletAddress: BOB } };
    expect(await rejection(open(elsewhere))).toMatchObject({ code: 'QUOTE_VALIDATION_ERROR' });
    expect(money.opened).toHaveLength(2);
  });

  it('belongs to one of two concurrent requests with different payees, and the other is refused', async () => {
    const order = orderOf();
    const keys = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? 'ana@example.com' : 'eve@example.com'));
    const results = await Promise.allSettled(
      keys.map((key) => open({ ...order, ticket: { ...order.ticket, payout: pixTo(key) } })),
    );
    expect(money.opened).toHaveLength(1);
    const { payout } = money.opened[0]!;
    const won = keys.map((key) => (payout?.rail === 'PIX' && payout.pixKey === key ? 'fulfilled' : 'rejected'));
    expect(results.map(({ status }) => status)).toEqual(won);
  });
});

describe('a ticket whose response was lost', () => {
  it('is found, and nothing is posted twice', async () => {
    const order = orderOf();
    money.response = 'lost';
    expect(await rejection(open(order))).toBe(LOST);
    expect(await rowOf(order)).toMatchObject({ ticketId: null, ticket: null });
    await age(order);
    const results = await Promise.all(Array.from({ length: 5 }, () => open(order)));
    expect(results).toEqual(results.map(() => results[0]));
    expect([money.opened.length, (await rowOf(order))?.ticketId]).toEqual([1, money.ticketId()]);
    const sought = money.sought.length;
    await open(order);
    expect(money.sought).toHaveLength(sought);
  });

  it('is awaited while the process that requested it may still receive it', async () => {
    const order = orderOf();
    money.response = 'lost';
    await rejection(open(order));
    const opening = open(order);
    await age(order, 5);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(money.sought).toEqual([]);
    await age(order);
    await expect(opening).resolves.toMatchObject({ ticketId: money.ticketId() });
  });

  it('is not opened again while the first request may still take effect', async () => {
    const order = orderOf();
    await diesBeforeRequest(order);
    expect(await rejection(open(order))).toMatchObject({ code: 'BYTECODE_GENERATION_FAILED' });
    expect([money.opened.length, money.sought.length]).toEqual([0, 1]);
    expect(await rowOf(order)).toMatchObject({ ticketId: null });
  });

  it('is opened again, once, when the first request cannot take effect any more', async () => {
    const order = orderOf();
    money.quote = longOver();
    await diesBeforeRequest(order);
    money.quote = {};
    const results = await Promise.all(Array.from({ length: 10 }, () => open(order)));
    expect(money.opened).toHaveLength(1);
    expect(new Set(results.map(({ ticketId }) => ticketId)).size).toBe(1);
  });

  it('that was opened again stays, however late the first request is withdrawn', async () => {
    const order = orderOf();
    money.quote = longOver();
    await diesBeforeRequest(order);
    money.quote = {};
    let resume: () => void = () => undefined;
    const paused = new Promise<void>((resolve) => (resume = resolve));
    let isWaiting = false;
    const slow = open(order, {
      async withdraw(...request) {
        isWaiting = true;
        await paused;
        await tickets.withdraw(...request);
      },
    });
    await until('a caller is about to withdraw the first request', () => isWaiting);
    money.openingMs = 1000;
    const quick = open(order);
    await until('another caller has recorded a request', async () => {
      const row = await tickets.find(order.ticket.externalId);
      return row !== undefined && row.ageSeconds < 30;
    });
    resume();
    expect(await slow).toEqual(await quick);
    expect(money.opened).toHaveLength(1);
  });

  it('belongs to no action when its response arrives after another one was opened', async () => {
    const order = orderOf();
    money.quote = longOver();
    money.openingMs = 1500;
    const late = open(order);
    await until('it is requested', async () => (await rowOf(order)) !== null);
    const stored = await tickets.find(order.ticket.externalId);
    await tickets.withdraw(order.ticket.externalId, stored!.intent);
    money.openingMs = 0;
    const second = await open(order);
    expect(await late).toEqual(second);
    expect((await rowOf(order))?.ticketId).toBe(second.ticketId);
  });
});
