import { createSampleOrder, openOrders, orderOf } from '../../../test/strategies/sample-stock-order';
import { openStockDesk, type StockDesk } from '../../../test/strategies/stock-desk';
import { historyOf, newCustomer } from '../../../test/actions/sample-action';
import { listAuditEntries } from '../../auth/audit-log';
import { claimForCancel, queueRefund } from './claim-orders';
import { findActionRow } from '../../actions/get-action';
import type { StockOrder } from './stock-order';
import type { FillSearch } from './stock-venue';

let desk: StockDesk;
beforeAll(async () => {
  desk = await openStockDesk();
});
afterAll(() => desk.close());
beforeEach(() => desk.reset());

describe('a cancel', () => {
  it('makes the order invalid first, then the action REFUNDED, and returns the tokens', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    await desk.until(order, 'OPEN');
    expect(await desk.canceller().cancel(order)).toBe(true);
    expect(desk.exchange().order(order.actionId)).toMatchObject({ isInvalid: true, refunds: 0 });
    const failureReason = 'The order was cancelled';
    expect(await desk.actionOf(order)).toMatchObject({ status: 'REFUNDED', substatus: 'REFUND_QUEUED', failureReason });
    expect(await orderOf(desk.database, order)).toMatchObject({ step: 'REFUNDING' });
    expect(desk.exchange().fill(order)).toBe(false);
    await desk.until(order, 'ENDED');
    const { substatus, steps } = await desk.actionOf(order);
    expect([substatus, steps.at(-1)]).toMatchObject(['REFUND_SENT', { kind: 'REFUND', status: 'CONFIRMED' }]);
    expect(await historyOf(desk.database, order.actionId)).toEqual(
      expect.arrayContaining(['PENDING>REFUNDED REFUND_QUEUED', 'REFUNDED>REFUNDED REFUND_SENT']),
    );
    expect(desk.exchange().order(order.actionId).refunds).toBe(1);
  });

  it('states what its refund has returned, also when the wallet was paid twice', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    await desk.until(order, 'OPEN');
    await desk.canceller().cancel(order);
    const refunded = async () => (await findActionRow(desk, order))?.refund?.amount;
    expect(await refunded()).toBe(order.sellAmount);
    const amount = 2n * order.sellAmount;
    const { refund } = desk.exchange().venue;
    const venue = {
      ...desk.exchange().venue,
      refund: async (current: StockOrder) => {
        const result = await refund(current);
        return result.kind === 'done' ? { ...result, amount } : result;
      },
    };
    while ((await orderOf(desk.database, order)).refundedAt === undefined) {
      await desk.makeDue();
      await desk.pass({ venue });
    }
    expect(await refunded()).toBe(amount);
  });

  it('may be repeated', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    await desk.until(order, 'OPEN');
    expect(await Promise.all([1, 2, 3].map(() => desk.canceller().cancel(order)))).toEqual([true, true, true]);
    await desk.until(order, 'ENDED');
    expect(await desk.canceller().cancel(order)).toBe(true);
    expect(desk.exchange().order(order.actionId).refunds).toBe(1);
  });

  it('of an order that was not signed yet needs nothing on chain', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    await desk.canceller().cancel(order);
    expect(desk.exchange().order(order.actionId)).toMatchObject({ isInvalid: false, isPosted: false });
    await desk.until(order, 'ENDED');
    expect(desk.exchange().order(order.actionId)).toMatchObject({ isPosted: false, refunds: 1 });
  });

  it('is refused for an order without a limit price, a filled one, and one without funds', async () => {
    const market = await createSampleOrder(desk.database, desk.exchange(), { limitPriceCents: null });
    await desk.until(market, 'OPEN');
    expect(await desk.canceller().cancel(market)).toBe(false);
    const filled = await createSampleOrder(desk.database, desk.exchange());
    await desk.until(filled, 'OPEN');
    desk.exchange().fill(filled);
    await expect(desk.canceller().cancel(filled)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await desk.until(filled, 'ENDED');
    await expect(desk.canceller().cancel(filled)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const unfunded = await createSampleOrder(desk.database, desk.exchange(), { isFunded: false });
    await expect(desk.canceller().cancel(unfunded)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await desk.actionOf(filled)).toMatchObject({ status: 'SUCCESS' });
  });

  it('is recorded once for each user who requests it, also when a request without a user came first', async () => {
    const { database } = desk;
    const order = await createSampleOrder(database, desk.exchange());
    const { customerId, actionId } = await desk.until(order, 'OPEN');
    const venue = { ...desk.exchange().venue, invalidate: () => Promise.resolve({ obstacle: 'busy' }) };
    const by = (subject: string) => ({ customerId, subject, role: 'owner' as const, requestId: 'r' });
    for (const actor of [undefined, by('ana'), by('ana'), by('bob')]) {
      const cancelling = desk.canceller({ venue }).cancel({ customerId, actionId, actor });
      await expect(cancelling).rejects.toMatchObject({ code: 'LENDING_SERVICE_UNAVAILABLE' });
    }
    const { entries } = await listAuditEntries({ database }, { customerId, targetId: actionId });
    expect(entries.map(({ subject }) => subject)).toEqual(['bob', 'ana']);
  });

  it('of another customer finds no order', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    expect(await desk.canceller().cancel({ ...order, customerId: newCustomer() })).toBe(false);
    expect(await claimForCancel(desk.deps(), { ...order, customerId: newCustomer() })).toBeUndefined();
  });

  it('goes on in a worker when the chain needs longer than the request', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    await desk.until(order, 'OPEN');
    const venue = { ...desk.exchange().venue, invalidate: () => Promise.resolve('waiting' as const) };
    const cancellerWithShortTimeout = desk.canceller({ venue, timeoutMs: 300 });
    await expect(cancellerWithShortTimeout.cancel(order)).rejects.toMatchObject({
      code: 'LENDING_SERVICE_UNAVAILABLE',
    });
    await desk.until(order, 'ENDED');
    expect(await desk.actionOf(order)).toMatchObject({ status: 'REFUNDED' });
  });

  it('decides only once all blocks were searched for an earlier settlement, in the request and in a worker', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    const { fromBlock: first = 0n } = await desk.until(order, 'OPEN');
    desk.exchange().block = 1_000_000;
    const searched: bigint[] = [];
    const busy = { obstacle: 'busy' };
    const venue = {
      ...desk.exchange().venue,
      invalidate: (current: StockOrder) => {
        const { fromBlock = 0n } = current;
        searched.push(fromBlock - first);
        if (searched.length > 4) return desk.exchange().venue.invalidate(current);
        return searched.length === 3 ? Promise.resolve(busy) : Promise.resolve({ next: fromBlock + 16_000n });
      },
    };
    await expect(desk.canceller({ venue }).cancel(order)).rejects.toMatchObject({
      code: 'LENDING_SERVICE_UNAVAILABLE',
    });
    while ((await desk.actionOf(order)).status === 'PENDING') {
      await desk.makeDue();
      await desk.pass({ venue });
    }
    expect(searched.slice(0, 5)).toEqual([0n, 16_000n, 32_000n, 32_000n, 48_000n]);
    expect(await desk.actionOf(order)).toMatchObject({ status: 'REFUNDED' });
  });

  it('polls a node that is behind at its interval, in the request and in a worker, and the order book once', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    const { fromBlock = 0n } = await desk.until(order, 'OPEN');
    const searches: (boolean | undefined)[] = [];
    const times: number[] = [];
    const venue = {
      ...desk.exchange().venue,
      invalidate: (_: StockOrder, search?: FillSearch) => {
        searches.push(search?.isContinued);
        times.push(performance.now());
        return Promise.resolve({ next: fromBlock });
      },
    };
    // Each search takes a second, on any machine.
    const startedAt = Date.now();
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => startedAt + 1000 * searches.length);
    const cancelling = desk.canceller({ venue, timeoutMs: 3000, pollMs: 200 }).cancel(order);
    const refused = expect(cancelling).rejects.toMatchObject({ code: 'LENDING_SERVICE_UNAVAILABLE' });
    await refused.finally(() => clock.mockRestore());
    expect(searches).toEqual([false, true, true]);
    for (const [index, time] of times.slice(1).entries()) expect(time - times[index]!).toBeGreaterThan(190);
    await desk.makeDue();
    await desk.pass({ venue });
    expect(await orderOf(desk.database, order)).toMatchObject({
      step: 'CANCELLING',
      failures: 1,
      lastFailure: 'The node of the chain is behind',
    });
  });

  it('ends with the deadline of the order when its transaction is never mined', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    await desk.until(order, 'OPEN');
    const venue = { ...desk.exchange().venue, invalidate: () => Promise.resolve('waiting' as const) };
    const cancelling = desk.canceller({ venue, timeoutMs: 50 }).cancel(order);
    await expect(cancelling).rejects.toMatchObject({ code: 'LENDING_SERVICE_UNAVAILABLE' });
    await desk.makeDue();
    await desk.pass({ venue });
    expect(await orderOf(desk.database, order)).toMatchObject({ step: 'CANCELLING' });
    await desk.database.stockOrder.updateMany({ data: { validTo: new Date(Date.now() - 5000) } });
    await desk.makeDue();
    await desk.pass({ venue });
    expect(await desk.actionOf(order)).toMatchObject({ status: 'REFUNDED', substatus: 'REFUND_QUEUED' });
  });

  it('reports a refund that could not be queued, which a worker then queues', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    await desk.until(order, 'OPEN');
    // Outside of a transaction only the statement that queues the refund changes rows.
    const failing = new Proxy(desk.database, {
      get: (target, name): unknown =>
        name === '$executeRaw' ? () => Promise.reject(new Error('the connection was lost')) : Reflect.get(target, name),
    });
    const cancelling = desk.canceller({ database: failing });
    await expect(cancelling.cancel(order)).rejects.toMatchObject({
      code: 'ACTION_CANCEL_REFUND_QUEUE_FAILED',
      status: 502,
    });
    expect(await desk.actionOf(order)).toMatchObject({ status: 'REFUNDED', substatus: 'REFUND_QUEUED' });
    expect(await orderOf(desk.database, order)).toMatchObject({ step: 'REFUND_DUE' });
    await desk.until(order, 'ENDED');
    expect(desk.exchange().order(order.actionId).refunds).toBe(1);
    expect(await queueRefund(desk, order)).toBe(false);
  });
});

describe('200 races of a cancel against a fill', () => {
  const BATCHES = 4;
  const RACES_AT_ONCE = 50;
  const PAUSE_MS = 10;

  it('each have exactly one winner, one refund for each cancel, and no fill after REFUNDED', async () => {
    const outcomes: string[] = [];
    for (let batch = 0; batch < BATCHES; batch += 1) outcomes.push(...(await runBatch()));
    expect(outcomes).toHaveLength(200);
    // Otherwise it was no race.
    expect(new Set(outcomes)).toEqual(new Set(['SUCCESS', 'REFUNDED']));
  });

  /** Races of some orders at once, while one worker carries on all of them. */
  async function runBatch(): Promise<readonly string[]> {
    const orders = await openOrders(desk.database, desk.exchange(), RACES_AT_ONCE);
    let isRacing = true;
    const work = async (): Promise<void> => {
      while (isRacing) {
        await workOnce();
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    };
    const working = work();
    await Promise.all(orders.map(race));
    isRacing = false;
    await working;
    for (const order of orders) desk.exchange().fill(order);
    while ((await desk.database.stockOrder.count({ where: { step: { not: 'ENDED' } } })) > 0) await workOnce();
    return outcomesOf(orders);
  }

  async function workOnce(): Promise<void> {
    await desk.makeDue();
    await desk.pass();
  }

  /** The solver acts just before one of the calls that a cancel makes, for some orders before the first one. */
  async function race(order: StockOrder, number: number): Promise<void> {
    const turn = number % 3;
    let calls = 0;
    const meet = (): void => {
      if (calls === turn) desk.exchange().fill(order);
      calls += 1;
    };
    const { venue: own } = desk.exchange();
    const venue = {
      ...own,
      invalidate: (read: StockOrder) => (meet(), own.invalidate(read)),
    };
    const canceller = desk.canceller({ venue, pollMs: PAUSE_MS });
    const requests = number % 4 === 0 ? [1, 2] : [1];
    await Promise.allSettled(requests.map(() => canceller.cancel(order)));
  }

  async function outcomesOf(orders: readonly StockOrder[]): Promise<readonly string[]> {
    const where = { id: { in: orders.map(({ actionId }) => actionId) } };
    const actions = await desk.database.action.findMany({ where, select: { id: true, status: true } });
    for (const { id, status } of actions) {
      const { filledAt, refunds, balance } = desk.exchange().order(id);
      const expected = filledAt === undefined ? ['REFUNDED', 1] : ['SUCCESS', 0];
      expect([status, refunds, balance]).toEqual([...expected, 0n]);
    }
    return actions.map(({ status }) => status);
  }
});
