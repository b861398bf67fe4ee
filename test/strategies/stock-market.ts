import { startStockEmulator, stockChainOf } from '../../devnet/emulators/tokenized-stock/start-stock-emulator';
import { SERVICE_WALLET_KEY } from '../../devnet/service-wallet';
import { createChainTable } from '../../src/chains/chain-table';
import { createHttpClient } from '../../src/http/http-client';
import { runTrackerOnce } from '../../src/actions/tracker/run-tracker-once';
import { toMicroUsd } from '../../src/money/usd';
import { createServiceWallet } from '../../src/rpc/service-wallet';
import { advanceOrder } from '../../src/strategies/stocks/advance-order';
import { claimOrders } from '../../src/strategies/stocks/claim-orders';
import { createCowVenue } from '../../src/strategies/stocks/cow/cow-venue';
import { createOrderBook } from '../../src/strategies/stocks/cow/order-book';
import { pollUnfunded } from '../../src/strategies/stocks/poll-unfunded';
import { createStockIssuer } from '../../src/strategies/stocks/stock-issuer';
import type { StockOrder } from '../../src/strategies/stocks/stock-order';
import type { StockServices } from '../../src/strategies/stocks/stock-services';
import { createStockStatus } from '../../src/strategies/stocks/stock-status';
import { createWalletCallStore } from '../../src/strategies/stocks/wallet-call-store';
import { catchUp } from '../actions/local-tracker';
import { gasPricer, serviceTransactionStore } from '../setup/gas';
import { openOperationDesk } from './operation-desk';
import { orderOf } from './sample-stock-order';

/** Long, so that everything responds in it. */
const TIMEOUT_MS = 60_000;

/** A desk for operations, with an issuer, an order book and a solver on its local chain. */
export async function openStockMarket(secret: string) {
  const desk = await openOperationDesk();
  const emulator = await startStockEmulator({ chain: stockChainOf(desk.devnet) });
  const client = createHttpClient({ baseUrl: emulator.url, headers: { 'x-api-key': 'test' }, timeoutMs: TIMEOUT_MS });
  const { database } = desk.world;
  const common = { rpc: desk.rpc, priceGas: gasPricer(3000), log: { warn: () => undefined } };
  const store = serviceTransactionStore(database);
  const book = createOrderBook(client);
  const venue = createCowVenue({
    ...common,
    chains: createChainTable([desk.chain]),
    book,
    serviceWallet: createServiceWallet({ ...common, key: SERVICE_WALLET_KEY, store }),
    maxOrderGasUsd: toMicroUsd(100_000_000n),
    calls: createWalletCallStore(database),
    secret,
  });
  const issuer = createStockIssuer(client);
  const bounds = { minOrderUsd: toMicroUsd(10_000_000n), maxOpen: 50 };
  const status = createStockStatus({ issuer, book, timeoutMs: TIMEOUT_MS, probeTimeoutMs: TIMEOUT_MS });
  const reachedGasUsd = () => Promise.resolve(undefined);
  const stocks: StockServices = { issuer, book, venue, status, bounds, balancesTimeoutMs: TIMEOUT_MS, reachedGasUsd };
  await catchUp(desk.tracker, desk.devnet.chainId);

  async function untilOrder(actionId: string, isReached: (order: StockOrder) => boolean): Promise<StockOrder> {
    const deadline = Date.now() + 90_000;
    for (;;) {
      await runTrackerOnce(desk.tracker, desk.devnet.chainId);
      await database.stockOrder.updateMany({ where: { actionId }, data: { nextAt: new Date(0) } });
      const deps = { database, venue, log: common.log, pollMs: 50 };
      await pollUnfunded(deps);
      for (const claimed of await claimOrders(deps, 8)) await advanceOrder(deps, claimed, AbortSignal.timeout(90_000));
      const current = await orderOf(database, { customerId: desk.customerId, actionId });
      if (isReached(current)) return current;
      if (Date.now() > deadline) throw new Error(`the order is still ${current.step}: ${current.lastFailure ?? ''}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  return {
    desk,
    stocks,
    /** Runs tracker and worker until the order of an action is as it should be. */
    untilOrder,
    /** Changes the emulated parties. */
    control: (body: object) => client.post('/_control', body, AbortSignal.timeout(TIMEOUT_MS)),
    async close(): Promise<void> {
      await Promise.all([emulator.stop(), client.close()]);
      await desk.close();
    },
  };
}
export type StockMarket = Awaited<ReturnType<typeof openStockMarket>>;
