import type { Logger } from 'pino';
import type { Config } from '../config/config';
import { createHttpClient } from '../http/http-client';
import type { Rpc } from '../rpc/rpc';
import type { ServiceWallet } from '../rpc/service-wallet';
import { createCowVenue } from '../strategies/stocks/cow/cow-venue';
import { createOrderBook } from '../strategies/stocks/cow/order-book';
import { createStockIssuer } from '../strategies/stocks/stock-issuer';
import type { StockServices } from '../strategies/stocks/stock-services';

interface StocksOfProcess {
  readonly config: Config;
  readonly rpc: Rpc;
  readonly log: Logger;
  readonly serviceWallet: ServiceWallet | undefined;
}

/** The services for tokenized stocks and their connections. */
export interface Stocks {
  /** `undefined` where a setting is missing: orders are then refused. */
  readonly services: StockServices | undefined;
  close(): Promise<void>;
}

/** Opens the services for tokenized stocks where the deployment is configured for them. */
export function openStocks({ config, rpc, log, serviceWallet }: StocksOfProcess): Stocks {
  const { TOKENIZED_STOCK_API_KEY: key, ORDER_WALLET_SECRET: secret } = config;
  if (key === undefined || secret === undefined || serviceWallet === undefined)
    return { services: undefined, close: () => Promise.resolve() };
  const issuerHttp = createHttpClient({ baseUrl: config.TOKENIZED_STOCK_API_URL, headers: { 'x-api-key': key } });
  const bookHttp = createHttpClient({ baseUrl: config.COW_API_URL });
  const book = createOrderBook(bookHttp);
  const venue = createCowVenue({ rpc, chains: config.chains.table, book, serviceWallet, secret, log });
  return {
    services: { issuer: createStockIssuer(issuerHttp), book, venue },
    async close() {
      await Promise.all([issuerHttp.close(), bookHttp.close()]);
    },
  };
}
