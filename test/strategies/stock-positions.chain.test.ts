import { randomUUID } from 'node:crypto';
import { parseUnits } from 'viem';
import type { CustomerId } from '../../src/auth/principal';
import { NO_POSITION, principalOf, profitOf, realizedProfitOf } from '../../src/strategies/positions/position-state';
import { type PositionReading, readPosition, readPositions } from '../../src/strategies/positions/read-positions';
import { spotPosition } from '../../src/strategies/positions/spot-position';
import { PROTOCOL_READERS } from '../../src/strategies/protocols/protocols';
import { createOrderCanceller } from '../../src/strategies/stocks/cancel-order';
import type { OrderStep } from '../../src/strategies/stocks/stock-order';
import type { StockServices } from '../../src/strategies/stocks/stock-services';
import type { OperationDesk } from './operation-desk';
import { openStockMarket, type StockMarket } from './stock-market';

const STOCK = 'Acme-ACMEon-devnet';
const TOKEN = parseUnits('1', 18);
const dollars = (amount: string) => parseUnits(amount, 6);

let market: StockMarket;
let desk: OperationDesk;
let stocks: StockServices;
beforeAll(async () => {
  market = await openStockMarket('cd'.repeat(32));
  ({ desk, stocks } = market);
});
afterAll(() => market.close());

const order = (fields: Readonly<Record<string, string | number>>) => desk.operate(STOCK, fields, { stocks });

/** Places an order, pays its transfer as often as given, and waits for a step. */
async function place(
  fields: Readonly<Record<string, string | number>>,
  { step = 'ENDED', times = 1 }: { readonly step?: OrderStep; readonly times?: number } = {},
) {
  const placed = await order(fields);
  await desk.send(Array.from({ length: times }, () => placed.bytecode).flat());
  return market.untilOrder(placed.id, (current) => current.step === step);
}

const request = (customerId: CustomerId) => ({
  owner: { customerId, wallet: desk.wallet },
  signal: AbortSignal.timeout(90_000),
});
const deps = () => ({ ...desk.deps.positions, protocols: PROTOCOL_READERS });
const read = (customerId = desk.customerId) =>
  readPosition(deps(), { ...request(customerId), strategy: desk.strategies.get(STOCK) });

/** C, V − C and R. V − N = (V − C) + R holds, with R as the movements have realized it. */
function figures({ state = NO_POSITION, holding: { value }, problem }: PositionReading): readonly bigint[] {
  expect(problem).toBeUndefined();
  const realized = realizedProfitOf(state);
  expect(value - state.netPaidIn).toBe(profitOf(state, value) + realized);
  expect(state.realized / 10n ** 18n).toBe(realized);
  return [principalOf(state), profitOf(state, value), realized];
}

const FEES = { performanceBps: 0, markupBps: 0 };
const spotOf = (reading: PositionReading) =>
  spotPosition(reading, { price: undefined, rewardPrices: [], fees: FEES, charged: undefined });
const valuesOf = (amounts: readonly { readonly value: string }[]) => amounts.map(({ value }) => value);

/** The position as an overview lists it; `undefined` when it is left out. */
async function readListed(customerId = desk.customerId): Promise<PositionReading | undefined> {
  const strategies = [desk.strategies.get(STOCK)];
  return (await readPositions(deps(), { ...request(customerId), strategies, includeEmpty: false })).positions[0];
}

async function cancel(actionId: string): Promise<void> {
  const orders = { database: desk.world.database, venue: stocks.venue, log: { warn: () => undefined }, pollMs: 100 };
  await createOrderCanceller(orders).cancel({ customerId: desk.customerId, actionId });
  await market.untilOrder(actionId, ({ step }) => step === 'ENDED');
}

async function addCustomer(): Promise<CustomerId> {
  const id = randomUUID() as CustomerId;
  await desk.world.database.customer.create({ data: { id, name: 'other' } });
  return id;
}

/** The last changes of the position. */
async function lastChanges(customerId = desk.customerId): Promise<readonly unknown[]> {
  const where = { customerId, wallet: desk.wallet };
  const stored = await desk.world.database.positionEntry.findMany({ where, orderBy: { blockNumber: 'asc' } });
  const { recent } = await read(customerId);
  return [...stored, ...recent].map(({ kind, assets }) => [kind, assets?.toString()]);
}

it('is listed while a purchase of a wallet without tokens is open, which is in no other amount, and not once it is refunded', async () => {
  expect(await readListed()).toBeUndefined();
  await market.control({ solver: 'never', price: '200' });
  const purchase = { action: 'request-lend', amount: dollars('1000').toString(), priceInUsd: 15_000 };
  const { actionId } = await place(purchase, { step: 'OPEN' });
  const listed = await readListed();
  expect(figures(listed!)).toEqual([0n, 0n, 0n]);
  expect(listed!.holding).toMatchObject({ shares: 0n, value: 0n, receiptBalance: 0n, availableToWithdraw: 0n });
  const spot = spotOf(listed!);
  expect(valuesOf(spot.requestedToLend)).toEqual([dollars('1000').toString()]);
  expect(valuesOf(spot.requestedToLendInShares)).toEqual([(5n * TOKEN).toString()]);
  expect([spot.requestedToWithdraw, spot.availableToClaim, spot.netDeposits?.value]).toEqual([[], [], '0']);
  expect(await readListed(await addCustomer())).toBeUndefined();

  await cancel(actionId);
  expect(await readListed()).toBeUndefined();
  expect((await read()).holding.requests).toBeUndefined();
});

it('has the dollars of a purchase until it is filled, and then its tokens at this cost', async () => {
  await market.control({ solver: 'never', price: '200' });
  const { actionId } = await place({ action: 'request-lend', amount: dollars('1000').toString() }, { step: 'OPEN' });
  expect(valuesOf(spotOf((await readListed())!).requestedToLend)).toEqual([dollars('1000').toString()]);
  await market.control({ solver: 'settle', price: '200' });
  await market.untilOrder(actionId, ({ step }) => step === 'ENDED');
  const bought = await readListed();
  expect(figures(bought!)).toEqual([dollars('1000'), 0n, 0n]);
  expect(bought!.holding.requests).toBeUndefined();
});

it('has the cost of a purchase, keeps the tokens of an open sale, and is unchanged when the sale is cancelled', async () => {
  expect(figures(await read())).toEqual([dollars('1000'), 0n, 0n]);
  await market.control({ solver: 'never', price: '220' });
  expect(figures(await read())).toEqual([dollars('1000'), dollars('100'), 0n]);

  const sale = { action: 'request-withdraw', amount: 'max', priceInUsd: 25_000 };
  const { actionId } = await place(sale, { step: 'OPEN' });
  const held = await read();
  expect(figures(held)).toEqual([dollars('1000'), dollars('100'), 0n]);
  expect(held.holding).toMatchObject({ value: dollars('1100'), receiptBalance: 0n, availableToWithdraw: 0n });
  const spot = spotOf(held);
  expect(valuesOf(spot.requestedToWithdraw)).toEqual([dollars('1100').toString()]);
  expect(valuesOf(spot.requestedToWithdrawInShares)).toEqual([(5n * TOKEN).toString()]);
  expect((await readListed())?.holding.value).toBe(dollars('1100'));

  await cancel(actionId);
  const after = await read();
  expect(figures(after)).toEqual([dollars('1000'), dollars('100'), 0n]);
  expect([after.holding.receiptBalance, after.holding.requests]).toEqual([5n * TOKEN, undefined]);
  expect(await lastChanges()).toEqual([['deposit', dollars('1000').toString()]]);
});

it('realizes what a filled sale has paid minus its cost, and nothing for the part that is refunded', async () => {
  await market.control({ solver: 'settle', price: '220' });
  const [cost, profit, realized] = figures(await read());
  const { shares } = (await read()).holding;
  await place({ action: 'request-withdraw', amountInShares: TOKEN.toString() }, { times: 2 });
  const sold = await read();
  expect(figures(sold)).toEqual([cost! - dollars('200'), profit! - dollars('20'), realized! + dollars('20')]);
  expect([sold.holding.shares, sold.holding.receiptBalance]).toEqual([shares - TOKEN, shares - TOKEN]);
  expect((await lastChanges()).at(-1)).toEqual(['withdrawal', dollars('220').toString()]);
});

it('is read again when an earlier version has stored it, and has a transfer for another customer', async () => {
  await market.control({ solver: 'never', price: '220' });
  const sale = { action: 'request-withdraw', amountInShares: TOKEN.toString(), priceInUsd: 25_000 };
  await place(sale, { step: 'OPEN' });
  const before = await read();
  const { positionCursor } = desk.world.database;
  const versions = () => positionCursor.findMany({ select: { eventVersion: true } });
  const [version] = await versions();
  await positionCursor.updateMany({ data: { eventVersion: 0, cost: '0', realized: '0', netPaidIn: '0' } });
  expect(figures(await read())).toEqual(figures(before));
  expect(version!.eventVersion).toBeGreaterThan(0);
  expect(await versions()).toEqual([version]);

  const other = await addCustomer();
  const seen = await read(other);
  figures(seen);
  expect(seen.holding).toMatchObject({ shares: before.holding.shares - TOKEN, receiptBalance: seen.holding.shares });
  expect(seen.holding.requests).toBeUndefined();
  expect((await lastChanges(other)).at(-1)).toEqual(['transferOut', dollars('220').toString()]);
});

it('is stored no further by a process of an earlier version', async () => {
  const { positionCursor } = desk.world.database;
  await positionCursor.updateMany({ data: { eventVersion: { increment: 1 }, isComplete: false } });
  const readStored = () => positionCursor.findMany({ orderBy: { customerId: 'asc' } });
  const stored = await readStored();
  await read();
  const progress = (await readStored()).map(({ nextBlock, isComplete }) => ({ nextBlock, isComplete }));
  expect(progress).toEqual(stored.map(({ nextBlock }) => ({ nextBlock, isComplete: false })));
});
