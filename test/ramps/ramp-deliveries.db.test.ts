import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { serviceError } from '../../src/errors/service-error';
import { createHttpClient } from '../../src/http/http-client';
import { UpstreamError } from '../../src/http/upstream-error';
import { toBaseUnits } from '../../src/money/base-units';
import type { DeliveryState, BridgeTransfer } from '../../src/venues/delivery-source';
import { rampDeliveries } from '../../src/venues/ramp/ramp-deliveries';
import { uuidV7 } from '../../src/persistence/uuid-v7';
import { type TicketParameters, openTicketOnce } from '../../src/venues/ramp/ramp-ticket';
import type { RampRoute, TicketHolder, TicketState } from '../../src/ramps/ramp-provider';
import { createTicketStore, type TicketStore } from '../../src/ramps/ticket-store';
import { until } from '../resilience/until';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { testVault } from '../swaps/fake-fiat';
import { chains, devnet, rejection } from '../swaps/swap-world';
import { OFF_RAMP, ON_RAMP, orderOf, type ScriptedMoney, scriptedMoney } from './scripted-money';

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

/** No server listens there. */
const UNREACHABLE = 'http://127.0.0.1:1';

const someAccount = () => ({ accountId: uuidV7(), kycUserId: uuidV7() });

async function opened(route: RampRoute = OFF_RAMP, ticket: Partial<TicketParameters['ticket']> = {}): Promise<string> {
  const order = orderOf({ route, ticket });
  await openTicketOnce({ ramp: money.ramp, tickets }, order, AbortSignal.timeout(90_000));
  return order.ticket.externalId;
}

/** Polls a transfer. Its ticket has all required data. */
const follow = (actionId: string, source = rampDeliveries({ ramp: money.ramp, tickets })): Promise<DeliveryState> =>
  source.follow({ actionId } as BridgeTransfer, AbortSignal.timeout(90_000));

const setLease = (actionId: string, seconds: number) =>
  test.database.$executeRaw`
    UPDATE "RampTicket" SET "leasedUntil" = now() + make_interval(secs => ${seconds})
     WHERE "actionId" = ${actionId}::uuid`;
const leaseOf = async (actionId: string) =>
  (await test.database.rampTicket.findUniqueOrThrow({ where: { actionId } })).leasedUntil;

describe('the state of a ticket', () => {
  const paid = { txHash: '0xaa', endToEndId: 'E1', amountOut: toBaseUnits(52_900n) };
  const toBank = { txHash: undefined, endToEndId: 'E1', amountOut: toBaseUnits(52_900n) };
  const reason = 'the bank refused';
  const cases: readonly (readonly [TicketState, DeliveryState, DeliveryState])[] = [
    [
      { status: 'waitingForPayment' },
      { status: 'inFlight', waitingFor: 'DEPOSIT' },
      { status: 'inFlight', waitingFor: 'CONFIRMATIONS' },
    ],
    [
      { status: 'processing' },
      { status: 'inFlight', waitingFor: 'DESTINATION' },
      { status: 'inFlight', waitingFor: 'PAYOUT' },
    ],
    [
      { status: 'completed', ...paid },
      { status: 'delivered', txHash: '0xaa', amount: toBaseUnits(52_900n), partial: false },
      { status: 'delivered', txHash: '0xaa', amount: toBaseUnits(52_900n), partial: false },
    ],
    [
      { status: 'completed', ...toBank },
      { status: 'delivered', txHash: undefined, amount: toBaseUnits(52_900n), partial: false },
      { status: 'delivered', txHash: undefined, amount: toBaseUnits(52_900n), partial: false },
    ],
    [
      { status: 'refunding', reason },
      { status: 'refunding', reason },
      { status: 'refunding', reason },
    ],
    [
      { status: 'refunded', txHash: undefined, reason },
      { status: 'refunded', chainId: 0, txHash: undefined, amount: undefined, reason },
      { status: 'refunded', chainId: devnet.chainId, txHash: undefined, amount: undefined, reason },
    ],
    [
      { status: 'refunded', txHash: '0xbb', reason },
      { status: 'refunded', chainId: 0, txHash: '0xbb', amount: undefined, reason },
      { status: 'refunded', chainId: devnet.chainId, txHash: '0xbb', amount: undefined, reason },
    ],
    [
      { status: 'failed', reason },
      { status: 'failed', reason },
      { status: 'failed', reason },
    ],
  ];

  it.each(cases)(
    '%j has a delivery state for an on-ramp, and one for an off-ramp',
    async (state, moneyIn, moneyOut) => {
      money.state = state;
      expect(await follow(await opened(ON_RAMP))).toEqual(moneyIn);
      expect(await follow(await opened(OFF_RAMP))).toEqual(moneyOut);
    },
  );

  it('is polled with the request and the holder of the ticket', async () => {
    const polledWith: unknown[] = [];
    const actionId = await opened();
    const ramp = {
      ...money.ramp,
      ticketState: (...[ticketId, holder]: Parameters<typeof money.ramp.ticketState>) => {
        polledWith.push(ticketId, holder);
        return Promise.resolve({ status: 'processing' } as const);
      },
    };
    await follow(actionId, rampDeliveries({ ramp, tickets }));
    const [request] = money.opened;
    expect(polledWith).toEqual([money.ticketId(), { ...request!.account, request }]);
  });

  it('is not polled without a stored ticket', async () => {
    const never = orderOf().ticket.externalId;
    expect(String(await rejection(follow(never)))).toContain('has no ticket');
    const order = orderOf();
    money.response = 'lost';
    await rejection(openTicketOnce({ ramp: money.ramp, tickets }, order, AbortSignal.timeout(90_000)));
    expect(String(await rejection(follow(order.ticket.externalId)))).toContain('has no response of the ramp');
  });
});

describe('a payout', () => {
  it('is not requested while the transaction of the deposit is not final', async () => {
    const [actionId, payIn] = [await opened(OFF_RAMP), await opened(ON_RAMP)];
    let polls = 0;
    money.state = () => {
      polls += 1;
      return Promise.resolve({ status: 'processing' });
    };
    const source = rampDeliveries({ ramp: money.ramp, tickets });
    const at = (id: string, originIsFinal: boolean) =>
      source.follow({ actionId: id, originIsFinal } as BridgeTransfer, AbortSignal.timeout(90_000));
    expect(await at(actionId, false)).toEqual({ status: 'inFlight', waitingFor: 'CONFIRMATIONS' });
    expect(polls).toBe(0);
    expect(await at(actionId, true)).toEqual({ status: 'inFlight', waitingFor: 'PAYOUT' });
    expect(await at(payIn, false)).toEqual({ status: 'inFlight', waitingFor: 'DESTINATION' });
    expect(polls).toBe(2);
  });
});

describe('payouts from one account of a person', () => {
  /** A ramp that pays out the balance of an account, and reads it with a delay. */
  const sharedAccount = (held: { balance: bigint }) => {
    const paid: string[] = [];
    let [concurrent, maxConcurrent] = [0, 0];
    const ramp = {
      ...money.ramp,
      paysOutReceivedAmount: true,
      async ticketState(_: string, { request }: TicketHolder): Promise<TicketState> {
        maxConcurrent = Math.max(maxConcurrent, (concurrent += 1));
        const { externalId, quote } = request!;
        const seen = held.balance;
        await wait(Math.random() * 20);
        concurrent -= 1;
        if (paid.includes(externalId)) return { status: 'processing' };
        if (seen < quote.amountIn) return { status: 'waitingForPayment' };
        held.balance -= quote.amountIn;
        paid.push(externalId);
        return { status: 'processing' };
      },
    };
    return { ramp, paid, maxConcurrent: () => maxConcurrent };
  };

  it('are each paid from their own deposit under concurrent polls', async () => {
    const scenario = fc.record({ payouts: fc.integer({ min: 2, max: 5 }), credits: fc.nat(5) });
    const property = fc.asyncProperty(scenario, async ({ payouts, credits }) => {
      const account = someAccount();
      const order = orderOf();
      const amount = order.quoteRequest.amount;
      const held = { balance: BigInt(Math.min(payouts, credits)) * amount };
      const { ramp, paid, maxConcurrent } = sharedAccount(held);
      const source = rampDeliveries({ ramp, tickets });
      const ids = await Promise.all(Array.from({ length: payouts }, () => opened(OFF_RAMP, { account })));
      const states = await Promise.all(ids.map((id) => follow(id, source)));
      expect(maxConcurrent()).toBe(1);
      expect([held.balance, paid.length]).toEqual([0n, Math.min(payouts, credits)]);
      const carriedOut = states.filter((state) => state.status === 'inFlight' && state.waitingFor === 'PAYOUT');
      expect(carriedOut).toHaveLength(paid.length);
    });
    await fc.assert(property, { numRuns: 8 });
  });

  it('of other people, or other accounts, do not block each other', async () => {
    const [mine, theirs] = [
      await opened(),
      await opened(OFF_RAMP, { account: { ...someAccount(), accountId: 'other' } }),
    ];
    expect(await tickets.lease(mine, { ofAccount: true })).toBeInstanceOf(Date);
    expect(await tickets.lease(theirs, { ofAccount: true })).toBeInstanceOf(Date);
  });
});

describe('polls of a ticket', () => {
  it('are exclusive under concurrency', async () => {
    const actionId = await opened();
    let [concurrent, maxConcurrent, refusals] = [0, 0, 0];
    let resume: () => void = () => undefined;
    const paused = new Promise<void>((resolve) => (resume = resolve));
    money.state = async () => {
      concurrent += 1;
      maxConcurrent = Math.max(maxConcurrent, concurrent);
      await paused;
      concurrent -= 1;
      return { status: 'processing' };
    };
    const others = Array.from({ length: 10 }, () => follow(actionId));
    for (const other of others) other.catch(() => (refusals += 1));
    await until('nine polls were refused', () => refusals === 9);
    resume();
    const results = await Promise.allSettled(others);
    expect(maxConcurrent).toBe(1);
    for (const result of results.filter(({ status }) => status === 'rejected')) {
      expect(result).toMatchObject({ reason: { code: 'PROVIDER_UNAVAILABLE' } });
    }
    await expect(follow(actionId)).resolves.toEqual({ status: 'inFlight', waitingFor: 'PAYOUT' });
  });

  it('that fail keep their lease for a while, because the request may still take effect', async () => {
    const actionId = await opened();
    money.state = new Error('the connection was reset');
    await rejection(follow(actionId));
    money.state = { status: 'processing' };
    expect(await rejection(follow(actionId))).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    expect((await leaseOf(actionId))!.getTime()).toBeGreaterThan(Date.now());
    await setLease(actionId, -1);
    await expect(follow(actionId)).resolves.toMatchObject({ status: 'inFlight' });
    expect(await leaseOf(actionId)).toBeNull();
  });

  it('that fail at a read release their lease, because nothing takes effect late', async () => {
    const account = someAccount();
    const [first, second] = [await opened(OFF_RAMP, { account }), await opened(OFF_RAMP, { account })];
    const source = rampDeliveries({ ramp: { ...money.ramp, paysOutReceivedAmount: true }, tickets });
    const brokenRamp = new UpstreamError('HTTP 500', { kind: 'status', status: 500, isRead: true });
    money.state = serviceError('PROVIDER_UNAVAILABLE', { provider: 'primary', reason: 'it' }, { cause: brokenRamp });
    await rejection(follow(first, source));
    expect(await leaseOf(first)).toBeNull();
    money.state = { status: 'processing' };
    await expect(follow(second, source)).resolves.toMatchObject({ waitingFor: 'PAYOUT' });
    await expect(follow(first, source)).resolves.toMatchObject({ waitingFor: 'PAYOUT' });
  });

  it('that fail at a write keep their lease for a while after any response', async () => {
    const actionId = await opened();
    money.state = new UpstreamError('HTTP 500', { kind: 'status', status: 500 });
    await rejection(follow(actionId));
    expect((await leaseOf(actionId))!.getTime()).toBeGreaterThan(Date.now());
  });

  it('keep their lease when a write fails and then a read, because the write may still take effect', async () => {
    const [written, onlyRead] = [await opened(), await opened()];
    const api = createHttpClient({ baseUrl: UNREACHABLE });
    const { signal } = new AbortController();
    const read = async (): Promise<TicketState> => {
      await api.get('/tickets', {}, signal);
      return { status: 'processing' };
    };
    money.state = async () => {
      await api.post('/tickets', {}, signal).catch(() => undefined);
      return read();
    };
    await rejection(follow(written));
    expect((await leaseOf(written))!.getTime()).toBeGreaterThan(Date.now());
    money.state = read;
    await rejection(follow(onlyRead));
    expect(await leaseOf(onlyRead)).toBeNull();
    await api.close();
  });

  it('whose lease has expired end without releasing the lease of another process', async () => {
    const actionId = await opened();
    const mine = await tickets.lease(actionId);
    expect(await tickets.lease(actionId)).toBeUndefined();
    await setLease(actionId, -1);
    const theirs = await tickets.lease(actionId);
    await tickets.release(actionId, mine!);
    expect(await tickets.lease(actionId)).toBeUndefined();
    await tickets.release(actionId, theirs!);
    expect(await tickets.lease(actionId)).toBeInstanceOf(Date);
  });
});
