import { createSampleOrder, orderOf } from '../../../test/strategies/sample-stock-order';
import { openStockDesk, type StockDesk } from '../../../test/strategies/stock-desk';
import { historyOf, newCustomer } from '../../../test/actions/sample-action';
import { listAuditEntries } from '../../auth/audit-log';
import { claimForCancel, queueRefund } from './claim-orders';
import type { StockOrder } from './stock-order';

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
    const impatient = desk.canceller({ venue, timeoutMs: 300 });
    await expect(impatient.cancel(order)).rejects.toMatchObject({ code: 'LENDING_SERVICE_UNAVAILABLE' });
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

  it('ends with the deadline of the order when its transaction is never mined', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    await desk.until(order, 'OPEN');
    const venue = { ...desk.exchange().venue, invalidate: () => Promise.resolve('waiting' as const) };
    const cancelling = desk.canceller({ venue, timeoutMs: 50 }).cancel(order);
    await expect(cancelling).rejects.toMatchObject({ code: 'LENDING_SERVICE_UNAVAILABLE' });
    await desk.makeDue();
    await desk.pass({ venue });
    expect(await orderOf(desk.database, order)).toMatchObject({ step: 'CANCELLING' });
    desk.exchange().time = BigInt(Math.trunc(order.validTo.getTime() / 1000)) + 1n;
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
  const RACES = 200;
  const AT_ONCE = 25;
  /** The solvers of a batch act one after another: the first before any cancel, the last after most. */
  const SPREAD_MS = 25;
  const PAUSE_MS = 20;

  it('each have exactly one winner, one refund for each cancel, and no fill after REFUNDED', async () => {
    const outcomes: string[] = [];
    while (outcomes.length < RACES) outcomes.push(...(await runBatch()));
    expect(outcomes.filter((outcome) => outcome !== 'SUCCESS' && outcome !== 'REFUNDED')).toEqual([]);
    // Otherwise it was no race.
    expect(new Set(outcomes).size).toBe(2);
  }, 180_000);

  /** Races of some orders at once, while one worker carries on all of them. */
  async function runBatch(): Promise<readonly string[]> {
    const orders = await Promise.all(Array.from({ length: AT_ONCE }, newOrder));
    let isRunning = true;
    const worker = async (): Promise<void> => {
      while (isRunning) {
        await desk.makeDue();
        await desk.pass();
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    };
    const working = worker();
    await Promise.all(orders.map(race));
    while ((await desk.database.stockOrder.count({ where: { step: { not: 'ENDED' } } })) > 0)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    isRunning = false;
    await working;
    return Promise.all(orders.map(outcomeOf));
  }

  async function race(order: StockOrder, number: number): Promise<void> {
    const solver = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, number * SPREAD_MS));
      desk.exchange().fill(order);
    };
    const canceller = desk.canceller({ pollMs: PAUSE_MS });
    await Promise.allSettled([canceller.cancel(order), solver(), canceller.cancel(order)]);
    const { status } = await desk.actionOf(order);
    const isLateFilled = desk.exchange().fill(order);
    if (status === 'REFUNDED') expect(isLateFilled).toBe(false);
  }

  async function outcomeOf(order: StockOrder): Promise<string> {
    const { status } = await desk.actionOf(order);
    const { filledAt, refunds, balance } = desk.exchange().order(order.actionId);
    const expected = filledAt === undefined ? ['REFUNDED', 1] : ['SUCCESS', 0];
    expect([status, refunds, balance]).toEqual([...expected, 0n]);
    return status;
  }

  /** An order that is in the order book. */
  async function newOrder(): Promise<StockOrder> {
    const order = await createSampleOrder(desk.database, desk.exchange());
    const { actionId } = order;
    const data = { step: 'OPEN', orderUid: desk.exchange().venue.uidOf(order), postedAt: new Date() };
    await desk.database.stockOrder.updateMany({
      where: { actionId },
      data: { ...data, lastPostAttemptAt: new Date() },
    });
    desk.exchange().order(actionId).isPosted = true;
    return order;
  }
});
