import { createWalletClient, encodeFunctionData, erc20Abi, type Hex, http, parseUnits } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { STOCK_CONTRACTS } from '../../devnet/stocks/stock-contracts';
import { isServiceError } from '../../src/errors/service-error';
import type { OperationDeps } from '../../src/strategies/operations/operation-deps';
import { createOrderCanceller } from '../../src/strategies/stocks/cancel-order';
import { COW_SETTLEMENT, SETTLEMENT_ABI } from '../../src/strategies/cow-settlement';
import { orderWalletOf } from '../../src/strategies/stocks/order-wallet';
import type { OrderStep, StockOrder } from '../../src/strategies/stocks/stock-order';
import type { StockServices } from '../../src/strategies/stocks/stock-services';
import { minedReceipt } from '../setup/mined-receipt';
import { type OperationDesk, problemOf } from './operation-desk';
import { openStockMarket, type StockMarket } from './stock-market';

const STOCK = 'Acme-ACMEon-devnet';
const SECRET = 'ab'.repeat(32);
const DOLLARS = parseUnits('1000', 6);
const log = { warn: () => undefined };

let market: StockMarket;
let desk: OperationDesk;
let stocks: StockServices;
beforeAll(async () => {
  market = await openStockMarket(SECRET);
  ({ desk, stocks } = market);
});
afterAll(() => market.close());
beforeEach(() => control({ solver: 'settle', price: '200', attestedPrice: null, halt: null, attests: true }));

const control = (body: object) => market.control(body);
const order = (fields: Readonly<Record<string, string | number>>) => desk.operate(STOCK, fields, { stocks });
const stockOf = (owner: string = desk.wallet) => desk.balanceOf(STOCK_CONTRACTS.token, owner);
const dollarsOf = (owner: string = desk.wallet) => desk.balanceOf(desk.token('USDT'), owner);

/** Runs tracker and worker until the order has the step. */
const until = (actionId: string, step: OrderStep) => untilOrder(actionId, (current) => current.step === step);

const untilOrder: StockMarket['untilOrder'] = (actionId, isReached) => market.untilOrder(actionId, isReached);

const codeOf = (error: unknown): string => (isServiceError(error) ? error.code : String(error));

const summaryOf = async (id: string) => {
  const { status, substatus, amountIn, amountOut, steps } = await desk.readAction(id);
  return { status, substatus, amountIn, amountOut, steps: steps.map((step) => [step.kind, step.status]) };
};

it('buys a stock at the price of the market by a settlement on chain, and sells all of it', async () => {
  const [stock, dollars] = [await stockOf(), await dollarsOf()];
  const bought = await order({ action: 'request-lend', amount: DOLLARS.toString() });
  expect(bought).toMatchObject({
    type: 'SAMECHAIN_INVESTMENT_DEPOSIT',
    expected: { value: parseUnits('5', 18).toString() },
  });
  expect(bought.quote).toMatchObject({ provider: 'cow', spotPriceUsd: 200 });
  expect(await desk.send(bought.bytecode)).toEqual(['success']);
  const { orderWallet, executionTxHash } = await until(bought.id, 'ENDED');
  expect(await summaryOf(bought.id)).toEqual({
    status: 'SUCCESS',
    substatus: null,
    amountIn: DOLLARS,
    amountOut: parseUnits('5', 18),
    steps: [
      ['TRANSFER', 'CONFIRMED'],
      ['ORDER', 'CONFIRMED'],
    ],
  });
  expect(executionTxHash).toMatch(/^0x[0-9a-f]{64}$/);
  expect([(await stockOf()) - stock, dollars - (await dollarsOf())]).toEqual([parseUnits('5', 18), DOLLARS]);
  expect([await stockOf(orderWallet), await dollarsOf(orderWallet)]).toEqual([0n, 0n]);

  await control({ price: '210' });
  const sold = await order({ action: 'request-withdraw', amount: 'max' });
  await desk.send(sold.bytecode);
  await until(sold.id, 'ENDED');
  expect(await summaryOf(sold.id)).toMatchObject({ status: 'SUCCESS', amountOut: parseUnits('1050', 6) });
  expect([await stockOf(), (await dollarsOf()) - dollars]).toEqual([0n, parseUnits('50', 6)]);
});

it('waits with a limit price until the market reaches it', async () => {
  const placed = await order({ action: 'request-lend', amount: DOLLARS.toString(), priceInUsd: 19_000 });
  expect(placed.quote).toMatchObject({ clientLimitPriceUsd: 190, spotPriceUsd: 200, distanceBps: -500 });
  await desk.send(placed.bytecode);
  await until(placed.id, 'OPEN');
  const { actions, orderBook } = await desk.pending(STOCK, desk.customerId, { stocks });
  expect(actions[0]?.suw).toMatchObject({
    fundsReturnedToWallet: false,
    order: { posted: true, status: 'OPEN', action: 'request-lend', sellAmount: DOLLARS.toString() },
    balances: { underlying: { amountRaw: DOLLARS.toString(), symbol: 'USDT' }, strategy: { amountRaw: '0' } },
    pricing: { side: 'BUY', referencePriceUsd: 200, livePriceUsd: 200, driftBps: 0, slippageBps: 10 },
    suwSteps: [{ status: 'CONFIRMED' }, { label: 'Order', status: 'PENDING' }],
  });
  expect(orderBook).toMatchObject({ requestLend: { canOpenOrder: true }, requestWithdraw: { canOpenOrder: true } });
  await control({ price: '189.5' });
  await until(placed.id, 'ENDED');
  expect(await summaryOf(placed.id)).toMatchObject({ status: 'SUCCESS', amountIn: DOLLARS });
});

it('cancels an open order: no solver can settle it any more, and the owner has the tokens back', async () => {
  await control({ solver: 'never' });
  const dollars = await dollarsOf();
  const placed = await order({ action: 'request-lend', amount: DOLLARS.toString(), priceInUsd: 20_100 });
  await desk.send(placed.bytecode);
  await until(placed.id, 'OPEN');
  const reference = { customerId: desk.customerId, actionId: placed.id };
  const { database } = desk.world;
  expect(await createOrderCanceller({ database, venue: stocks.venue, log, pollMs: 100 }).cancel(reference)).toBe(true);
  expect(await summaryOf(placed.id)).toMatchObject({ status: 'REFUNDED', substatus: 'REFUND_QUEUED' });
  await control({ solver: 'settle' });
  const { orderWallet, refundTxHash } = await until(placed.id, 'ENDED');
  expect(await summaryOf(placed.id)).toMatchObject({
    substatus: 'REFUND_SENT',
    steps: [
      ['TRANSFER', 'CONFIRMED'],
      ['ORDER', 'SKIPPED'],
      ['REFUND', 'CONFIRMED'],
    ],
  });
  expect([await dollarsOf(), await dollarsOf(orderWallet)]).toEqual([dollars, 0n]);
  const [, , refund] = (await desk.readAction(placed.id)).steps;
  expect(refund?.txHash).toBe(refundTxHash);
});

it('finds a fill that came before the cancel, although the order is marked as invalid and its tokens came twice', async () => {
  const placed = await order({ action: 'request-lend', amount: DOLLARS.toString(), priceInUsd: 20_100 });
  const dollars = await dollarsOf();
  await desk.send([...placed.bytecode, ...placed.bytecode]);
  const open = await until(placed.id, 'OPEN');
  const filled = Date.now() + 60_000;
  while ((await dollarsOf(open.orderWallet)) > DOLLARS && Date.now() < filled)
    await new Promise((wait) => setTimeout(wait, 50));
  const reference = { customerId: desk.customerId, actionId: placed.id };
  const { database } = desk.world;
  const account = orderWalletOf(SECRET, placed.id);
  const args = [open.orderUid!] as const;
  const data = encodeFunctionData({ abi: SETTLEMENT_ABI, functionName: 'invalidateOrder', args });
  const own = createWalletClient({ account, transport: http(desk.devnet.rpcUrl) });
  await own.sendTransaction({ to: COW_SETTLEMENT, data, gas: 100_000n, chain: null });
  const cancelling = createOrderCanceller({ database, venue: stocks.venue, log, pollMs: 100 }).cancel(reference);
  await expect(cancelling).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  await until(placed.id, 'ENDED');
  expect(await summaryOf(placed.id)).toMatchObject({ status: 'SUCCESS' });
  expect(dollars - (await dollarsOf())).toBe(DOLLARS);
});

it('returns the tokens, also those that were sent twice, when the order expired before it could be posted', async () => {
  const dollars = await dollarsOf();
  const placed = await order({ action: 'request-lend', amount: DOLLARS.toString() });
  await desk.world.database.stockOrder.update({
    where: { actionId: placed.id },
    data: { validTo: new Date(Date.now() + 10_000) },
  });
  await desk.send([...placed.bytecode, ...placed.bytecode]);
  const { orderWallet } = await until(placed.id, 'ENDED');
  expect(await summaryOf(placed.id)).toMatchObject({ status: 'REFUNDED' });
  expect([await dollarsOf(), await dollarsOf(orderWallet)]).toEqual([dollars, 0n]);
  const coin = await desk.rpc.client(desk.devnet.chainId).getBalance({ address: orderWallet });
  expect(coin).toBeLessThan(parseUnits('0.01', 18));
});

it('states a refund only by its transaction, also when the tokens have left the wallet otherwise', async () => {
  const dollars = await dollarsOf();
  const placed = await order({ action: 'request-lend', amount: DOLLARS.toString() });
  await desk.world.database.stockOrder.update({
    where: { actionId: placed.id },
    data: { validTo: new Date(Date.now() + 10_000) },
  });
  await desk.send(placed.bytecode);
  const account = orderWalletOf(SECRET, placed.id);
  const own = createWalletClient({ account, transport: http(desk.devnet.rpcUrl) });
  const gas = { to: account.address, value: parseUnits('0.1', 18).toString(), data: '0x' } as const;
  await desk.send([{ ...placed.bytecode[0]!, ...gas }]);
  const args = [STOCK_CONTRACTS.manager, DOLLARS] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
  const hash = await own.sendTransaction({ to: desk.token('USDT') as Hex, data, gas: 200_000n, chain: null });
  await minedReceipt(desk.rpc.client(desk.devnet.chainId), hash);
  await until(placed.id, 'REFUNDING');
  const isEmpty = ({ lastFailure = '' }: StockOrder) => /holds no tokens to return/.test(lastFailure);
  await untilOrder(placed.id, isEmpty);
  expect(await summaryOf(placed.id)).toMatchObject({ status: 'PENDING', substatus: 'REFUND_QUEUED' });
  await desk.send(placed.bytecode);
  await until(placed.id, 'ENDED');
  const { status, steps } = await desk.readAction(placed.id);
  expect([status, steps.at(-1)?.txHash]).toEqual(['REFUNDED', expect.stringMatching(/^0x/)]);
  expect(dollars - (await dollarsOf())).toBe(DOLLARS);
});

describe('an order is refused', () => {
  const buy = { action: 'request-lend', amount: DOLLARS.toString() };

  it('while the exchange is closed, with the code of the issuer', async () => {
    await control({ clock: '2026-07-18T15:00:00Z' });
    const details = { providerCode: 'MARKET_CLOSED', retryable: true };
    await expect(order(buy)).rejects.toMatchObject({ code: 'TOKENIZED_STOCK_SOFT_QUOTE_UNAVAILABLE', details });
    await control({ clock: null });
  });

  it('when the issuer signs no price, or one beyond the floor; a limit price needs neither', async () => {
    await control({ attests: false });
    await expect(order(buy)).rejects.toMatchObject({ code: 'TOKENIZED_STOCK_ATTESTATION_FAILED', status: 502 });
    await control({ attests: true, attestedPrice: '202.1' });
    await expect(order(buy)).rejects.toMatchObject({ code: 'TOKENIZED_STOCK_FLOOR_BREACH', status: 409 });
    expect((await order({ ...buy, priceInUsd: 20_000 })).simulation).toMatchObject({ status: 'SUCCESS' });
    await control({ attestedPrice: '201.9' });
    expect((await order(buy)).simulation).toMatchObject({ status: 'SUCCESS' });
  });

  it('without the tokens that it sells', async () => {
    const amount = parseUnits('90000000', 6).toString();
    expect(await problemOf(order({ action: 'request-lend', amount }))).toEqual([
      'LENDING_BAD_REQUEST',
      'BALANCE',
      (await dollarsOf()).toString(),
    ]);
  });

  it('as a fault of the request: all tokens of an empty wallet, and less than the minimum of the issuer', async () => {
    const wallet = privateKeyToAddress(generatePrivateKey());
    const all = order({ wallet, action: 'request-withdraw', amount: 'max' });
    expect((await problemOf(all)).slice(0, 2)).toEqual(['LENDING_BAD_REQUEST', 'BALANCE']);
    const issuer = { ...stocks.issuer, softPrice: () => Promise.reject(new Error('a price was requested')) };
    const nothing = { wallet, action: 'request-withdraw', amount: DOLLARS.toString() };
    const worth = desk.operate(STOCK, nothing, { stocks: { ...stocks, issuer } });
    expect((await problemOf(worth)).slice(0, 2)).toEqual(['LENDING_BAD_REQUEST', 'BALANCE']);
    const little = order({ action: 'request-lend', amount: '500000' });
    expect((await problemOf(little)).slice(0, 2)).toEqual(['LENDING_BAD_REQUEST', 'TOO_SMALL']);
  });

  it('by its simulation before the issuer signs a price', async () => {
    let signed = 0;
    const issuer = { ...stocks.issuer, attestedPrice: () => Promise.reject(new Error(String((signed += 1)))) };
    const rpc: OperationDeps['rpc'] = {
      ...desk.deps.rpc,
      simulate: () => Promise.reject(new Error('it would revert')),
    };
    await expect(desk.operate(STOCK, buy, { stocks: { ...stocks, issuer }, rpc })).rejects.toThrow('it would revert');
    expect(signed).toBe(0);
  });

  it('beyond the maximum of orders of its customer, also when several are requested at once', async () => {
    const { database } = desk.world;
    const where = { customerId: desk.customerId, step: { not: 'ENDED' } };
    const maxOpen = (await database.stockOrder.count({ where })) + 1;
    const limited = { ...stocks, bounds: { ...stocks.bounds, maxOpen } };
    const requests = [1, 2, 3].map(() => desk.operate(STOCK, { ...buy, priceInUsd: 20_000 }, { stocks: limited }));
    const results = await Promise.allSettled(requests);
    expect(results.map((result) => (result.status === 'rejected' ? codeOf(result.reason) : 'created')).sort()).toEqual([
      'RATE_LIMIT_EXCEEDED',
      'RATE_LIMIT_EXCEEDED',
      'created',
    ]);
  });

  it('while its gas costs more than the service pays', async () => {
    const venue = { ...stocks.venue, orderGasObstacle: () => Promise.resolve('too expensive') };
    const expensive = desk.operate(STOCK, buy, { stocks: { ...stocks, venue } });
    await expect(expensive).rejects.toMatchObject({ code: 'LENDING_SERVICE_UNAVAILABLE', status: 503 });
  });

  it('by a deployment without settings for it', async () => {
    await expect(desk.operate(STOCK, buy)).rejects.toMatchObject({
      code: 'TOKENIZED_STOCK_NOT_CONFIGURED',
      status: 503,
    });
  });
});
