import { newCustomer } from '../../../test/actions/sample-action';
import { createSampleOrder, DOLLARS, orderOf } from '../../../test/strategies/sample-stock-order';
import { openStockDesk, type StockDesk } from '../../../test/strategies/stock-desk';
import { toMicroUsd } from '../../money/usd';
import { claimOrders } from './claim-orders';
import { assertMayOrder } from './order-bounds';
import { pollUnfunded } from './poll-unfunded';
import type { StockOrder } from './stock-order';

let desk: StockDesk;
beforeAll(async () => {
  desk = await openStockDesk();
});
afterAll(() => desk.close());
beforeEach(() => desk.reset());

describe('an order of a tokenized stock', () => {
  it('waits while its funds are not final', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange(), { isFunded: false });
    await desk.pass();
    expect(await orderOf(desk.database, order)).toMatchObject({ step: 'AWAITING_FUNDS' });
  });

  it('takes no dust for the late transfer of an action that has failed', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange(), { isFunded: false });
    await desk.database.action.update({ where: { id: order.actionId }, data: { status: 'FAILED' } });
    desk.exchange().order(order.actionId).balance = DOLLARS / 1000n;
    await desk.pass();
    expect(await orderOf(desk.database, order)).toMatchObject({ step: 'AWAITING_FUNDS' });
    expect(await desk.actionOf(order)).toMatchObject({ status: 'FAILED', substatus: 'WAITING_ORIGIN' });
  });

  it('for a sale does not end while its wallet has dust, which belongs to the position of its owner', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange(), { isFunded: false });
    const { actionId } = order;
    await desk.database.action.update({ where: { id: actionId }, data: { status: 'FAILED' } });
    const createdAt = new Date(Date.now() - 9 * 86_400_000);
    await desk.database.stockOrder.updateMany({ data: { createdAt, side: 'SELL' } });
    await desk.database.actionCall.updateMany({ where: { actionId }, data: { open: false } });
    const stepAfter = async (balance: bigint) => {
      desk.exchange().order(actionId).balance = balance;
      await desk.makeDue();
      await desk.pass();
      return (await orderOf(desk.database, order)).step;
    };
    expect([await stepAfter(DOLLARS / 1000n), await stepAfter(0n)]).toEqual(['AWAITING_FUNDS', 'ENDED']);
  });

  it('for a purchase ends in spite of dust, which is no part of a position, and not while more is there', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange(), { isFunded: false });
    const { actionId } = order;
    await desk.database.action.update({ where: { id: actionId }, data: { status: 'FAILED' } });
    await desk.database.stockOrder.updateMany({ data: { createdAt: new Date(Date.now() - 9 * 86_400_000) } });
    await desk.database.actionCall.updateMany({ where: { actionId }, data: { open: false } });
    const { sellAmount } = await orderOf(desk.database, order);
    const stepAfter = async (balance: bigint) => {
      desk.exchange().order(actionId).balance = balance;
      await desk.makeDue();
      await desk.pass();
      return (await orderOf(desk.database, order)).step;
    };
    const tooLittle = sellAmount / 20n;
    expect([await stepAfter(tooLittle), await stepAfter(sellAmount / 101n)]).toEqual(['AWAITING_FUNDS', 'ENDED']);
  });

  it('returns the whole amount that came late, also while the gas has no price', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange(), { isFunded: false });
    await desk.database.action.update({ where: { id: order.actionId }, data: { status: 'FAILED' } });
    desk.exchange().fund(order);
    desk.exchange().hasGasPrice = false;
    await desk.until(order, 'ENDED');
    expect(await desk.actionOf(order)).toMatchObject({ status: 'REFUNDED' });
  });

  it('neither returns a part of the amount that came late nor gives it up while the gas has no price', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange(), { isFunded: false });
    await desk.database.action.update({ where: { id: order.actionId }, data: { status: 'FAILED' } });
    await desk.database.stockOrder.updateMany({ data: { createdAt: new Date(Date.now() - 9 * 86_400_000) } });
    desk.exchange().order(order.actionId).balance = (await orderOf(desk.database, order)).sellAmount / 2n;
    desk.exchange().hasGasPrice = false;
    await desk.makeDue();
    await desk.pass();
    expect(await orderOf(desk.database, order)).toMatchObject({ step: 'AWAITING_FUNDS' });
    desk.exchange().hasGasPrice = true;
    await desk.until(order, 'ENDED');
    expect(await desk.actionOf(order)).toMatchObject({ status: 'REFUNDED' });
  });

  it('waits for late tokens as long as the trackers search for its transfer', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange(), { isFunded: false });
    const { actionId } = order;
    await desk.database.action.update({ where: { id: actionId }, data: { status: 'FAILED' } });
    await desk.database.stockOrder.updateMany({ data: { createdAt: new Date(Date.now() - 9 * 86_400_000) } });
    await desk.database.actionCall.updateMany({ where: { actionId }, data: { open: true } });
    expect(await desk.database.actionCall.count({ where: { actionId, open: true } })).toBeGreaterThan(0);
    await desk.makeDue();
    await desk.pass();
    expect(await orderOf(desk.database, order)).toMatchObject({ step: 'AWAITING_FUNDS' });
    await desk.database.actionCall.updateMany({ where: { actionId }, data: { open: false } });
    await desk.makeDue();
    await desk.pass();
    expect(await orderOf(desk.database, order)).toMatchObject({ step: 'ENDED' });
  });

  it('returns tokens that came after its action had failed', async () => {
    const order = await createSampleOrder(desk.database, desk.exchange(), { isFunded: false });
    await desk.database.action.update({ where: { id: order.actionId }, data: { status: 'FAILED' } });
    desk.exchange().fund(order);
    await desk.until(order, 'ENDED');
    expect(await desk.actionOf(order)).toMatchObject({ status: 'REFUNDED' });
  });

  it('leaves orders of other customers their turn, with those that a replica carries out already', async () => {
    const busy = newCustomer();
    for (let count = 0; count < 8; count += 1)
      await createSampleOrder(desk.database, desk.exchange(), { customerId: busy });
    const other = await createSampleOrder(desk.database, desk.exchange());
    await pollUnfunded(desk.deps());
    expect(await claimOrders(desk.deps(), 3)).toHaveLength(3);
    const claimed = await claimOrders(desk.deps(), 6);
    expect(claimed.map(({ customerId }) => customerId).sort()).toEqual([busy, other.customerId].sort());
  });

  it('is refused to a customer with many that are funded or may still be, and not because of others or failed ones', async () => {
    const customerId = newCustomer();
    const bounds = { minOrderUsd: toMicroUsd(0n), maxOpen: 2 };
    const failed = await createSampleOrder(desk.database, desk.exchange(), { customerId, isFunded: false });
    await desk.database.action.update({ where: { id: failed.actionId }, data: { status: 'FAILED' } });
    const first = await createSampleOrder(desk.database, desk.exchange(), { customerId });
    await createSampleOrder(desk.database, desk.exchange());
    await pollUnfunded(desk.deps());
    await assertMayOrder(desk.database, customerId, bounds);
    await createSampleOrder(desk.database, desk.exchange(), { customerId, isFunded: false });
    await expect(assertMayOrder(desk.database, customerId, bounds)).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      details: { limit: 'openOrders', maximum: 2 },
    });
    const where = { actionId: first.actionId };
    await desk.database.stockOrder.update({ where, data: { step: 'SWEEPING', failures: 19 } });
    await expect(assertMayOrder(desk.database, customerId, bounds)).rejects.toThrow();
    await desk.database.stockOrder.update({ where, data: { failures: 20 } });
    await assertMayOrder(desk.database, customerId, bounds);
    await desk.database.stockOrder.update({ where, data: { step: 'ENDED', failures: 0 } });
    await assertMayOrder(desk.database, customerId, bounds);
  });

  it('without funds takes no turn, and the wallets of all late ones are read in one call', async () => {
    const customerId = newCustomer();
    const unfunded = { customerId, isFunded: false };
    const late = [];
    for (let count = 0; count < 6; count += 1)
      late.push(await createSampleOrder(desk.database, desk.exchange(), unfunded));
    await desk.database.action.updateMany({ where: { customerId }, data: { status: 'FAILED' } });
    const funded = await createSampleOrder(desk.database, desk.exchange(), { customerId });
    await desk.database.stockOrder.updateMany({ where: { actionId: funded.actionId }, data: { nextAt: new Date() } });
    const reads: number[] = [];
    const venue = {
      ...desk.exchange().venue,
      finalBalances: (orders: readonly StockOrder[]) => {
        reads.push(orders.length);
        return desk.exchange().venue.finalBalances(orders);
      },
    };
    expect(await pollUnfunded({ ...desk.deps(), venue })).toBe(7);
    expect(reads).toEqual([6]);
    expect((await claimOrders(desk.deps(), 8)).map(({ actionId }) => actionId)).toEqual([funded.actionId]);
    expect(await pollUnfunded({ ...desk.deps(), venue })).toBe(0);
    const { nextAt } = await desk.database.stockOrder.findFirstOrThrow({ where: { actionId: late[0]!.actionId } });
    expect(nextAt.getTime()).toBeGreaterThan(Date.now() + 500_000);
  });
});
