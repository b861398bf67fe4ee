import { createSampleOrder, DOLLARS, orderOf, STOCKS_BOUGHT } from '../../../test/strategies/sample-stock-order';
import { ScriptedExchange } from '../../../test/strategies/scripted-exchange';
import { openStockDesk, type StockDesk } from '../../../test/strategies/stock-desk';
import { claimOrders, finishOrderAttempt } from './claim-orders';
import { pollUnfunded } from './poll-unfunded';
import type { StockOrder } from './stock-order';
import type { StockVenue } from './stock-venue';

let desk: StockDesk;
beforeAll(async () => {
  desk = await openStockDesk();
});
afterAll(() => desk.close());
beforeEach(() => desk.reset());

describe('an order of a tokenized stock', () => {
  it('is posted once its funds are final, and ends with the amounts of its settlement', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    const open = await desk.until(order, 'OPEN');
    expect(open).toMatchObject({ orderUid: desk.exchange().venue.uidOf(order), quoteId: 7n });
    expect(desk.exchange().order(order.actionId).isPosted).toBe(true);
    desk.exchange().fill(order);
    const ended = await desk.until(order, 'ENDED');
    expect(ended).toMatchObject({ executedSellAmount: DOLLARS, executedBuyAmount: STOCKS_BOUGHT });
    const { status, steps } = await desk.actionOf(order);
    expect([status, steps.map((step) => step.status)]).toEqual(['SUCCESS', ['CONFIRMED', 'CONFIRMED']]);
    expect(desk.exchange().order(order.actionId).refunds).toBe(0);
  });

  it('is refunded to its owner after its deadline, and REFUNDED once the tokens are back', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange(), { limitPriceCents: null });
    await desk.until(order, 'OPEN');
    desk.exchange().time = BigInt(Math.trunc(order.validTo.getTime() / 1000)) + 1n;
    const refunding = await desk.until(order, 'REFUNDING');
    expect(refunding.refundedAt).toBeUndefined();
    expect(await desk.actionOf(order)).toMatchObject({ status: 'PENDING', substatus: 'REFUND_QUEUED' });
    await desk.until(order, 'ENDED');
    const { status, substatus, steps } = await desk.actionOf(order);
    expect([status, substatus]).toEqual(['REFUNDED', 'REFUND_SENT']);
    expect(steps.map(({ kind, status: each }) => [kind, each])).toEqual([
      ['TRANSFER', 'CONFIRMED'],
      ['ORDER', 'SKIPPED'],
      ['REFUND', 'CONFIRMED'],
    ]);
    expect(desk.exchange().order(order.actionId).refunds).toBe(1);
  });

  it('is not refunded at its deadline when a settlement came in the last second and is not final yet', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    await desk.until(order, 'OPEN');
    desk.exchange().fill(order);
    desk.exchange().time = BigInt(Math.trunc(order.validTo.getTime() / 1000)) + 1n;
    await desk.until(order, 'ENDED');
    expect(await desk.actionOf(order)).toMatchObject({ status: 'SUCCESS' });
    expect(desk.exchange().order(order.actionId).refunds).toBe(0);
  });

  it('continues the search for its settlement where the last one ended', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    await desk.until(order, 'OPEN');
    desk.exchange().fill(order);
    desk.exchange().block = 1_000_000;
    const { fromBlock: first = 0n } = await orderOf(desk.database, order);
    const searched: bigint[] = [];
    const venue = {
      ...desk.exchange().venue,
      findFill: (current: StockOrder, signal: AbortSignal) => {
        const { fromBlock = 0n } = current;
        searched.push(fromBlock - first);
        if (searched.length > 3) return desk.exchange().venue.findFill(current, signal);
        return Promise.resolve({ fill: undefined, next: fromBlock + 16_000n });
      },
    };
    for (let round = 0; round < 4; round += 1) {
      await desk.makeDue();
      await desk.pass({ venue });
    }
    expect(searched).toEqual([0n, 16_000n, 32_000n, 48_000n]);
    expect(await desk.actionOf(order)).toMatchObject({ status: 'SUCCESS' });
  });

  it('has its settlement searched only in blocks after the last one in which it was unfilled', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    await desk.until(order, 'OPEN');
    desk.exchange().block = 5000;
    await desk.makeDue();
    await desk.pass();
    const { fromBlock } = await orderOf(desk.database, order);
    expect(fromBlock).toBeGreaterThanOrEqual(4998n);
  });

  it('is refunded at once when less than its amount has arrived', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    desk.exchange().order(order.actionId).balance = DOLLARS - 1n;
    await desk.until(order, 'ENDED');
    expect(await desk.actionOf(order)).toMatchObject({ status: 'REFUNDED' });
    expect(desk.exchange().order(order.actionId)).toMatchObject({ isPosted: false, refunds: 1 });
  });

  it('is not REFUNDED while no transaction shows that its tokens are back', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    desk.exchange().order(order.actionId).balance = 0n;
    const venue = { ...desk.exchange().venue, refund: () => Promise.resolve({ kind: 'empty' as const }) };
    await desk.until(order, 'REFUNDING');
    await desk.makeDue();
    await desk.pass({ venue });
    expect(await orderOf(desk.database, order)).toMatchObject({
      step: 'REFUNDING',
      lastFailure: 'The wallet of the order holds no tokens to return',
    });
    expect(await desk.actionOf(order)).toMatchObject({ status: 'PENDING', substatus: 'REFUND_QUEUED' });
    const ago = new Date(Date.now() - 9 * 86_400_000);
    await desk.database.stockOrder.updateMany({ data: { validTo: ago, createdAt: ago } });
    await desk.makeDue();
    await desk.pass({ venue });
    expect(await orderOf(desk.database, order)).toMatchObject({ step: 'ENDED', refundedAt: undefined });
    expect(await desk.actionOf(order)).toMatchObject({ status: 'FAILED' });
  });

  it('is not refunded by a node that has not the block of its transfer yet', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    await desk.database.actionStep.updateMany({
      where: { actionId: order.actionId, stepIndex: 0 },
      data: { blockNumber: 1000 },
    });
    desk.exchange().order(order.actionId).balance = 0n;
    await desk.pass();
    await desk.makeDue();
    await desk.pass();
    expect(await orderOf(desk.database, order)).toMatchObject({ step: 'PREPARING' });
    desk.exchange().block = 2000;
    desk.exchange().fund(order);
    await desk.until(order, 'OPEN');
  });

  it('keeps the reason of the order book while it is refused, and is posted when that is over', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    desk.exchange().refusal = { code: 'InsufficientBalance', message: 'too little', mayRetry: true };
    await desk.until(order, 'PREPARING');
    await desk.database.stockOrder.updateMany({ data: { nextAt: new Date(0) } });
    await desk.pass();
    const refused = await orderOf(desk.database, order);
    expect(refused).toMatchObject({
      step: 'PREPARING',
      providerError: 'InsufficientBalance',
      lastPostError: 'too little',
    });
    desk.exchange().refusal = undefined;
    expect(await desk.until(order, 'OPEN')).toMatchObject({ providerError: undefined, lastPostError: undefined });
  });

  it.each([null, 20_000n])(
    'is made invalid and refunded when the order book refuses it for good (limit %s)',
    async (limit) => {
      const order = await createSampleOrder(desk.database, desk.exchange(), { limitPriceCents: limit });
      desk.exchange().refusal = { code: 'UnsupportedToken', message: 'not supported', mayRetry: false };
      await desk.until(order, 'ENDED');
      expect(desk.exchange().order(order.actionId)).toMatchObject({ isInvalid: true, refunds: 1 });
      expect(await desk.actionOf(order)).toMatchObject({
        status: 'REFUNDED',
        substatus: 'REFUND_SENT',
        failureReason: 'The order book refused the order',
      });
      expect(await orderOf(desk.database, order)).toMatchObject({
        providerError: 'UnsupportedToken',
        postedAt: undefined,
      });
    },
  );

  it('is not ended by refusals between which others came, however often it was delayed', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    const lasting = { code: 'UnsupportedToken', message: 'not supported', mayRetry: false };
    const passing = { code: 'InsufficientBalance', message: 'too little', mayRetry: true };
    for (const refusal of [...Array.from({ length: 4 }, () => lasting), passing, lasting]) {
      desk.exchange().refusal = refusal;
      await desk.database.stockOrder.updateMany({ data: { nextAt: new Date(0), failures: 50 } });
      await desk.pass();
    }
    expect(await orderOf(desk.database, order)).toMatchObject({ step: 'PREPARING', refusals: 1 });
    expect(desk.exchange().order(order.actionId).isInvalid).toBe(false);
    desk.exchange().refusal = undefined;
    expect(await desk.until(order, 'OPEN')).toMatchObject({ refusals: 0 });
  });

  it('keeps the result of its last posting while the order book does not respond', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    await desk.until(order, 'OPEN');
    const known = { postedAt: null, lastPostError: 'unavailable', lastPostAttemptAt: new Date(Date.now() - 60_000) };
    await desk.database.stockOrder.updateMany({ data: { ...known, nextAt: new Date(0) } });
    const venue = { ...desk.exchange().venue, isPosted: () => Promise.resolve(undefined) };
    await desk.pass({ venue });
    const { postedAt, lastPostError, step } = await orderOf(desk.database, order);
    expect([step, postedAt, lastPostError]).toEqual(['OPEN', undefined, 'unavailable']);
  });

  it('is posted again when the order book has lost it', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    await desk.until(order, 'OPEN');
    desk.exchange().order(order.actionId).isPosted = false;
    await desk.database.stockOrder.updateMany({ data: { lastPostAttemptAt: new Date(Date.now() - 60_000) } });
    await desk.until(order, 'PREPARING');
    await desk.until(order, 'OPEN');
    expect(desk.exchange().order(order.actionId).isPosted).toBe(true);
  });

  it('is carried on by another replica after a crash, which does not refund twice', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange(), { limitPriceCents: null });
    await desk.until(order, 'OPEN');
    desk.exchange().time = BigInt(Math.trunc(order.validTo.getTime() / 1000)) + 1n;
    const refunding = await desk.until(order, 'REFUNDING');
    // The tokens were sent, and the process ended before it could store that.
    await desk.exchange().venue.refund(refunding);
    await desk.until(order, 'ENDED');
    expect(desk.exchange().order(order.actionId).refunds).toBe(1);
  });

  it('is never ended by outages while its wallet has tokens, and with gas of the service after some attempts', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    await desk.until(order, 'OPEN');
    await desk.database.stockOrder.updateMany({ data: { step: 'SWEEPING', failures: 25, coinSweeps: 18 } });
    const stepAfter = async (sweep: StockVenue['sweep']) => {
      await desk.makeDue();
      await desk.pass({ venue: { ...desk.exchange().venue, sweep } });
      const { step, lastFailure } = await orderOf(desk.database, order);
      return [step, lastFailure];
    };
    const outage = () => Promise.reject(new Error('the node does not respond'));
    expect(await stepAfter(outage)).toEqual(['SWEEPING', expect.any(String)]);
    expect(await stepAfter(() => Promise.resolve({ hasTokens: true }))).toEqual(['SWEEPING', undefined]);
    const unpriced = { hasTokens: true, obstacle: 'no price' };
    expect(await stepAfter(() => Promise.resolve(unpriced))).toEqual(['SWEEPING', 'no price']);
    const gasIsLeft = () => Promise.resolve({ hasTokens: false });
    expect(await stepAfter(gasIsLeft)).toEqual(['SWEEPING', undefined]);
    expect(await stepAfter(gasIsLeft)).toEqual(['ENDED', undefined]);
  });

  it('returns its tokens in rare attempts after many that failed, and no pending transaction counts as one', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    await desk.until(order, 'OPEN');
    const attempt = async (failures: number, obstacle?: string) => {
      await desk.database.stockOrder.updateMany({ data: { step: 'SWEEPING', failures } });
      await desk.makeDue();
      const swept = { hasTokens: true, ...(obstacle === undefined ? {} : { obstacle }) };
      await desk.pass({ venue: { ...desk.exchange().venue, sweep: () => Promise.resolve(swept) } });
      const row = await desk.database.stockOrder.findFirstOrThrow({ where: { actionId: order.actionId } });
      return { failures: row.failures, isRare: row.nextAt.getTime() - Date.now() > 3_000_000 };
    };
    expect(await attempt(18, 'the transfer would revert')).toEqual({ failures: 19, isRare: false });
    expect(await attempt(19, 'the transfer would revert')).toEqual({ failures: 20, isRare: true });
    expect(await attempt(20)).toEqual({ failures: 0, isRare: false });
  });

  it('waits when a search for its settlement reads no block, as on a node that is behind', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    await desk.until(order, 'OPEN');
    desk.exchange().fill(order);
    desk.exchange().block += 10;
    const { fromBlock = 0n } = await orderOf(desk.database, order);
    const venue = { ...desk.exchange().venue, findFill: () => Promise.resolve({ fill: undefined, next: fromBlock }) };
    await desk.makeDue();
    await desk.pass({ venue });
    const { failures } = await orderOf(desk.database, order);
    const { nextAt } = await desk.database.stockOrder.findFirstOrThrow({});
    expect([failures, nextAt > new Date()]).toEqual([1, true]);
  });

  it('takes no result of a replica whose lease has ended', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange());
    await pollUnfunded(desk.deps());
    const [first] = await claimOrders(desk.deps(), 1);
    await desk.database.stockOrder.updateMany({ data: { leasedUntil: new Date(0) } });
    const [second] = await claimOrders(desk.deps(), 1);
    expect(await finishOrderAttempt(desk.database, first!, { step: 'ENDED', nextInMs: 0 })).toBe(false);
    expect(await finishOrderAttempt(desk.database, second!, { nextInMs: 0 })).toBe(true);
    expect(await orderOf(desk.database, order)).toMatchObject({ step: 'PREPARING' });
  });

  it('does not stop others while the chain fails for it', async () => {
    const failing = new ScriptedExchange();
    failing.isDown = true;
    const [bad, good] = [
      await createSampleOrder(desk.database, desk.exchange()),
      await createSampleOrder(desk.database, desk.exchange()),
    ];
    const venue = {
      ...desk.exchange().venue,
      readState: (order: StockOrder) =>
        (order.actionId === bad.actionId ? failing : desk.exchange()).venue.readState(order),
    };
    for (let round = 0; round < 4; round += 1) {
      await desk.makeDue();
      await desk.pass({ venue });
    }
    expect(await orderOf(desk.database, good)).toMatchObject({ step: 'OPEN' });
    expect((await orderOf(desk.database, bad)).failures).toBeGreaterThan(0);
  });
});
