import { startStockEmulator, stockChainOf } from '../../devnet/emulators/tokenized-stock/start-stock-emulator';
import { SERVICE_WALLET_KEY } from '../../devnet/service-wallet';
import { createChainTable } from '../../src/chains/chain-table';
import { createHttpClient } from '../../src/http/http-client';
import { toMicroUsd } from '../../src/money/usd';
import { createServiceWallet } from '../../src/rpc/service-wallet';
import { createCowVenue } from '../../src/strategies/stocks/cow/cow-venue';
import { createOrderBook } from '../../src/strategies/stocks/cow/order-book';
import { createStockIssuer } from '../../src/strategies/stocks/stock-issuer';
import type { StockServices } from '../../src/strategies/stocks/stock-services';
import { createStockStatus } from '../../src/strategies/stocks/stock-status';
import { createWalletCallStore } from '../../src/strategies/stocks/wallet-call-store';
import { catchUp } from '../actions/local-tracker';
import { gasPricer, serviceTransactionStore } from '../setup/gas';
import { openOperationDesk } from './operation-desk';

/** A desk for operations, with an issuer, an order book and a solver on its local chain. */
export async function openStockMarket(secret: string) {
  const desk = await openOperationDesk();
  const emulator = await startStockEmulator({ chain: stockChainOf(desk.devnet) });
  const client = createHttpClient({ baseUrl: emulator.url, headers: { 'x-api-key': 'test' } });
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
  const stocks: StockServices = { issuer, book, venue, status: createStockStatus({ issuer, book }), bounds };
  await catchUp(desk.tracker, desk.devnet.chainId);
  return {
    desk,
    stocks,
    /** Changes the emulated parties. */
    control: (body: object) => client.post('/_control', body, AbortSignal.timeout(10_000)),
    async close(): Promise<void> {
      await Promise.all([emulator.stop(), client.close()]);
      await desk.close();
    },
  };
}
export type StockMarket = Awaited<ReturnType<typeof openStockMarket>>;
