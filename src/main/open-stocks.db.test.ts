import { createSampleOrder } from '../../test/strategies/sample-stock-order';
import { gasBudgets, gasPricer, serviceTransactionStore } from '../../test/setup/gas';
import { openStockDesk, type StockDesk } from '../../test/strategies/stock-desk';
import pino from 'pino';
import { loadConfig } from '../config/config';
import { createRpc } from '../rpc/rpc';
import { createServiceWallet } from '../rpc/service-wallet';
import { openOrderProblems, openOrderWarnings, openStocks } from './open-stocks';

let desk: StockDesk;
beforeAll(async () => {
  desk = await openStockDesk();
});
afterAll(() => desk.close());
beforeEach(() => desk.reset());

const wallets = { ORDER_WALLET_SECRET: 'ab'.repeat(32), SERVICE_WALLET_KEY: `0x${'1'.repeat(64)}` as const };

it('a worker does not start without the settings of the wallets while an order is open', async () => {
  const order = await createSampleOrder(desk.database, desk.exchange());
  const missing = { ...wallets, ORDER_WALLET_SECRET: undefined };
  expect(await openOrderProblems(desk.database, { ROLE: 'worker', ...missing })).toEqual([
    expect.stringMatching(/^ORDER_WALLET_SECRET is not set, while orders .* \(1\)/),
  ]);
  expect(await openOrderProblems(desk.database, { ROLE: 'all', ...wallets })).toEqual([]);
  expect(await openOrderProblems(desk.database, { ROLE: 'gateway', ...missing })).toEqual([]);
  await desk.until(order, 'OPEN');
  desk.exchange().fill(order);
  await desk.until(order, 'ENDED');
  expect(await openOrderProblems(desk.database, { ROLE: 'worker', ...missing })).toEqual([]);
});

it('a worker starts without them, with a warning, when the actions of the only orders failed more than a month ago', async () => {
  const { actionId } = await createSampleOrder(desk.database, desk.exchange(), { isFunded: false });
  const problems = () => openOrderProblems(desk.database, { ROLE: 'all', ...wallets, SERVICE_WALLET_KEY: undefined });
  await desk.database.stockOrder.updateMany({ data: { createdAt: new Date(Date.now() - 31 * 86_400_000) } });
  const config = { ROLE: 'all', ...wallets, SERVICE_WALLET_KEY: undefined } as const;
  expect([await problems(), await openOrderWarnings(desk.database, config)]).toMatchObject([[expect.anything()], []]);
  await desk.database.action.update({ where: { id: actionId }, data: { status: 'FAILED' } });
  expect(await problems()).toEqual([]);
  expect(await openOrderWarnings(desk.database, config)).toEqual([
    expect.stringMatching(/^SERVICE_WALLET_KEY: not set\. Keep the former value: the wallets of 1 orders/),
  ]);
  expect(await openOrderWarnings(desk.database, { ROLE: 'all', ...wallets })).toEqual([]);
  await desk.database.stockOrder.updateMany({ data: { createdAt: new Date() } });
  expect(await problems()).toHaveLength(1);
});

it('a deployment without a key of the issuer still carries out and cancels its orders', async () => {
  const required = { DATABASE_URL: 'postgresql://db.example/afluente', API_KEY_PEPPER: 'ab'.repeat(32) };
  const config = loadConfig({ ...required, ...wallets });
  const log = pino({ level: 'silent' });
  const rpc = createRpc({ chains: config.chains, log });
  const store = serviceTransactionStore(desk.database);
  const key = wallets.SERVICE_WALLET_KEY;
  const serviceWallet = createServiceWallet({ key, rpc, store, priceGas: gasPricer(), log });
  const process = {
    config,
    database: desk.database,
    rpc,
    log,
    serviceWallet,
    priceGas: gasPricer(),
    gasBudgets: gasBudgets(),
  };
  const stocks = openStocks(process);
  expect([stocks.services, typeof stocks.venue?.walletOf('1')]).toEqual([undefined, 'string']);
  await stocks.close();
  const configured = openStocks({ ...process, config: { ...config, TOKENIZED_STOCK_API_KEY: 'key' } });
  expect(configured.services?.venue).toBe(configured.venue);
  const { customerId } = await createSampleOrder(desk.database, desk.exchange());
  expect(await configured.services?.reachedGasUsd(customerId)).toBeUndefined();
  await configured.close();
});
