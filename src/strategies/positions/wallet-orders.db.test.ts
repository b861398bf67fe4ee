import { getAddress } from 'viem';
import { createSampleOrder } from '../../../test/strategies/sample-stock-order';
import { sampleStrategy } from '../../../test/strategies/sample-strategy';
import { addressOf } from '../../../test/strategies/scripted-catalog';
import { openStockDesk, type StockDesk } from '../../../test/strategies/stock-desk';
import { ALICE, newCustomer } from '../../../test/actions/sample-action';
import type { CustomerId } from '../../auth/principal';
import { PROTOCOL_READERS } from '../protocols/protocols';
import type { StockOrder } from '../stocks/stock-order';
import { readersOf } from './wallet-orders';

let desk: StockDesk;
beforeAll(async () => {
  desk = await openStockDesk();
});
afterAll(() => desk.close());
beforeEach(() => desk.reset());

const sample = sampleStrategy('tokenized-stock');
const stock = { ...sample, row: { ...sample.row, id: 'Acme-ACMEon-devnet' } };

/** A purchase that is posted, unless changes say otherwise. */
async function createPurchase(
  customerId: CustomerId,
  changes: Partial<Pick<StockOrder, 'step' | 'strategyId' | 'receiver'>> & { readonly orderUid?: null } = {},
) {
  const { actionId } = await createSampleOrder(desk.database, desk.exchange(), { customerId });
  const data = { step: 'OPEN', orderUid: '0x12', ...changes };
  return desk.database.stockOrder.update({ where: { actionId }, data });
}

/** A sale that is posted, unless changes say otherwise. */
async function createSale(
  customerId: CustomerId,
  changes: Partial<Pick<StockOrder, 'side' | 'step' | 'strategyId'>> & { readonly orderUid?: null } = {},
) {
  const { actionId } = await createSampleOrder(desk.database, desk.exchange(), { customerId });
  await desk.database.action.update({ where: { id: actionId }, data: { type: 'SAMECHAIN_INVESTMENT_WITHDRAW' } });
  const data = { side: 'SELL', step: 'OPEN', orderUid: '0x12', ...changes };
  return desk.database.stockOrder.update({ where: { actionId }, data });
}

interface Followed {
  readonly wallet?: string;
  readonly maxOrders?: number;
}

/** The adapter with the orders of a wallet. */
async function readerOf(customerId: CustomerId, { wallet = ALICE, maxOrders = 400 }: Followed) {
  const owner = { customerId, wallet: getAddress(wallet) };
  const readers = await readersOf({ database: desk.database, protocols: PROTOCOL_READERS, maxOrders }, owner, [stock]);
  return { reader: readers.get(stock)!, wallet: owner.wallet };
}

/** The order wallets whose transfers are followed, in the order of the filter. */
async function followed(customerId: CustomerId, options: Followed = {}) {
  const { reader, wallet } = await readerOf(customerId, options);
  const [, , out] = reader.events.filters(stock, wallet);
  return (out?.topics[1] ?? []) as readonly string[];
}

/** The order wallets whose dollars are read. */
async function purchasesOf(customerId: CustomerId, options: Followed = {}) {
  const { reader, wallet } = await readerOf(customerId, options);
  const { reads } = reader.holding(stock, wallet);
  return reads
    .filter(({ to }) => to === stock.underlying.address)
    .map(({ data }) => `0x${'0'.repeat(24)}${data.slice(-40)}`);
}
const topicsOf = (...orders: readonly { readonly orderWallet: string }[]) =>
  orders.map(({ orderWallet }) => `0x${'0'.repeat(24)}${orderWallet.slice(2).toLowerCase()}`);

describe('the sales of a wallet', () => {
  it('are those of the customer, the wallet and its strategies alone, the open ones first', async () => {
    const customerId = newCustomer();
    const open = await createSale(customerId);
    const ended = await createSale(customerId, { step: 'ENDED' });
    await createSale(newCustomer());
    await createSale(customerId, { side: 'BUY' });
    await createSale(customerId, { strategyId: 'Other-devnet' });
    expect(await followed(customerId)).toEqual(topicsOf(open, ended));
    expect(await followed(customerId, { wallet: addressOf(5) })).toEqual([]);
    expect(await followed(newCustomer())).toEqual([]);
  });

  it('are without those that ended before they had tokens', async () => {
    const customerId = newCustomer();
    await createSampleOrder(desk.database, desk.exchange(), { customerId });
    const { actionId } = await createSale(customerId);
    await desk.database.stockOrder.update({ where: { actionId }, data: { step: 'ENDED', orderUid: null } });
    expect(await followed(customerId)).toEqual([]);
    await desk.database.stockOrder.update({ where: { actionId }, data: { refundTxHash: '0x34' } });
    expect(await followed(customerId)).toHaveLength(1);
    // The process ended between the refund and the record of its hash.
    const refunded = { refundTxHash: null, refundedAt: new Date() };
    await desk.database.stockOrder.update({ where: { actionId }, data: refunded });
    expect(await followed(customerId)).toHaveLength(1);
  });

  it('stay the ones with tokens, however many sales without any are requested afterwards', async () => {
    const customerId = newCustomer();
    const ended = await createSale(customerId, { step: 'ENDED' });
    const open = await createSale(customerId, { step: 'REFUNDING' });
    const waiting = [];
    for (let index = 0; index < 4; index += 1)
      waiting.push(await createSale(customerId, { step: 'AWAITING_FUNDS', orderUid: null }));
    expect(await followed(customerId, { maxOrders: 3 })).toEqual(topicsOf(open, waiting[3]!, ended));
  });

  it('are also the newest that wait for tokens, which may have just arrived, however many have ended', async () => {
    const customerId = newCustomer();
    const waiting = await createSale(customerId, { step: 'AWAITING_FUNDS', orderUid: null });
    const ended = [];
    for (let index = 0; index < 4; index += 1) ended.push(await createSale(customerId, { step: 'ENDED' }));
    expect(await followed(customerId, { maxOrders: 4 })).toEqual(topicsOf(waiting, ...ended.reverse().slice(0, 3)));
  });

  it('are displaced by no purchase', async () => {
    const customerId = newCustomer();
    const ended = await createSale(customerId, { step: 'ENDED' });
    for (let index = 0; index < 2; index += 1) await createPurchase(customerId);
    expect(await followed(customerId, { maxOrders: 1 })).toEqual(topicsOf(ended));
    expect(await purchasesOf(customerId, { maxOrders: 1 })).toHaveLength(1);
  });

  it('are not searched for strategies that are not sold by orders', async () => {
    const vault = sampleStrategy('erc4626');
    const owner = { customerId: newCustomer(), wallet: getAddress(ALICE) };
    const database = { $queryRaw: () => Promise.reject(new Error('a query was made')) } as never;
    const readers = await readersOf({ database, protocols: PROTOCOL_READERS }, owner, [vault]);
    expect(readers.get(vault)).toBe(PROTOCOL_READERS.erc4626);
  });
});

describe('the purchases of a wallet', () => {
  it('are those of the customer, the wallet and its strategies alone that have not ended', async () => {
    const customerId = newCustomer();
    const open = await createPurchase(customerId);
    const refunding = await createPurchase(customerId, { step: 'REFUNDING', receiver: addressOf(5) });
    await createPurchase(customerId, { step: 'ENDED' });
    await createPurchase(newCustomer());
    await createPurchase(customerId, { strategyId: 'Other-devnet' });
    await createSale(customerId);
    expect(await purchasesOf(customerId)).toEqual(topicsOf(open, refunding));
    expect(await purchasesOf(customerId, { wallet: addressOf(5) })).toEqual([]);
    expect(await purchasesOf(newCustomer())).toEqual([]);
  });

  it('are first those with dollars, and then the newest that wait for some', async () => {
    const customerId = newCustomer();
    const open = await createPurchase(customerId);
    const waiting = [];
    for (let index = 0; index < 3; index += 1)
      waiting.push(await createPurchase(customerId, { step: 'AWAITING_FUNDS', orderUid: null }));
    expect(await purchasesOf(customerId, { maxOrders: 4 })).toEqual(topicsOf(open, waiting[2]!));
  });
});
