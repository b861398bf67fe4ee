import type { Logger } from 'pino';
import type { Config } from '../config/config';
import { createHttpClient } from '../http/http-client';
import type { CustomerId } from '../auth/principal';
import type { Database } from '../persistence/database';
import type { GasBudgets } from '../persistence/gas-budgets';
import type { GasPricer } from '../prices/gas-pricer';
import type { Rpc } from '../rpc/rpc';
import type { ServiceWallet } from '../rpc/service-wallet';
import { createCowVenue } from '../strategies/stocks/cow/cow-venue';
import { createOrderBook } from '../strategies/stocks/cow/order-book';
import { createStockIssuer } from '../strategies/stocks/stock-issuer';
import type { StockServices } from '../strategies/stocks/stock-services';
import { createStockStatus } from '../strategies/stocks/stock-status';
import type { StockVenue } from '../strategies/stocks/stock-venue';
import { createWalletCallStore } from '../strategies/stocks/wallet-call-store';

/** Age of an order whose action has failed, after which a worker starts without the settings that its wallet needs. */
const GIVEN_UP_DAYS = 30;

interface StocksOfProcess {
  readonly config: Config;
  readonly database: Database;
  readonly rpc: Rpc;
  readonly log: Logger;
  readonly serviceWallet: ServiceWallet | undefined;
  readonly priceGas: GasPricer;
  readonly gasBudgets: GasBudgets;
}

/** The services for tokenized stocks and their connections. */
export interface Stocks {
  /** `undefined` where a setting is missing: new orders are then refused. */
  readonly services: StockServices | undefined;
  /** Carries out and cancels orders. Needs no key of the issuer: orders stay open when a deployment gives up stocks. */
  readonly venue: StockVenue | undefined;
  close(): Promise<void>;
}

/** Opens the services for tokenized stocks where the deployment is configured for them. */
export function openStocks({
  config,
  database,
  rpc,
  log,
  serviceWallet,
  priceGas,
  gasBudgets,
}: StocksOfProcess): Stocks {
  const { TOKENIZED_STOCK_API_KEY: key, ORDER_WALLET_SECRET: secret } = config;
  if (secret === undefined || serviceWallet === undefined)
    return { services: undefined, venue: undefined, close: () => Promise.resolve() };
  const bookHttp = createHttpClient({ baseUrl: config.COW_API_URL });
  const book = createOrderBook(bookHttp);
  const calls = createWalletCallStore(database);
  const venue = createCowVenue({
    rpc,
    chains: config.chains.table,
    book,
    serviceWallet,
    maxOrderGasUsd: config.ORDER_GAS_MAX_USD,
    priceGas,
    calls,
    secret,
    log,
  });
  if (key === undefined) return { services: undefined, venue, close: () => bookHttp.close() };
  const issuerHttp = createHttpClient({ baseUrl: config.TOKENIZED_STOCK_API_URL, headers: { 'x-api-key': key } });
  const issuer = createStockIssuer(issuerHttp);
  const reachedGasUsd = (customerId: CustomerId): Promise<number | undefined> =>
    database.$transaction((tx) => gasBudgets.reached(tx, { customerId, kind: 'completion' }));
  const bounds = { minOrderUsd: config.TOKENIZED_STOCK_MIN_USD, maxOpen: config.MAX_OPEN_ORDERS };
  return {
    services: { issuer, book, venue, status: createStockStatus({ issuer, book }), bounds, reachedGasUsd },
    venue,
    async close() {
      await Promise.all([issuerHttp.close(), bookHttp.close()]);
    },
  };
}

/** Sentences about settings that a worker lacks while orders are open: nothing else can move the tokens in their wallets. */
export async function openOrderProblems(
  database: Pick<Database, '$queryRaw'>,
  config: WalletSettings,
): Promise<readonly string[]> {
  const { missing, open } = await ordersWithoutSettings(database, config);
  if (open === 0) return [];
  return missing.map(
    (name) =>
      `${name} is not set, while orders of tokenized stocks have not ended (${String(open)}): their wallets may hold ` +
      'tokens of users. Configure the former value until they have ended.',
  );
}

/** Sentences about settings that a worker lacks for the wallets of old orders, with which it starts nevertheless. */
export async function openOrderWarnings(
  database: Pick<Database, '$queryRaw'>,
  config: WalletSettings,
): Promise<readonly string[]> {
  const { missing, late } = await ordersWithoutSettings(database, config);
  if (late === 0) return [];
  return [
    `${missing.join(' and ')}: not set. Keep the former value: the wallets of ${String(late)} orders of tokenized stocks, whose ` +
      `actions failed more than ${String(GIVEN_UP_DAYS)} days ago, may hold tokens that arrived late.`,
  ];
}

type WalletSettings = Pick<Config, 'ROLE' | 'ORDER_WALLET_SECRET' | 'SERVICE_WALLET_KEY'>;

const missingOf = (config: WalletSettings) =>
  config.ROLE === 'all' || config.ROLE === 'worker'
    ? (['ORDER_WALLET_SECRET', 'SERVICE_WALLET_KEY'] as const).filter((name) => config[name] === undefined)
    : [];

interface OrdersWithoutSettings {
  readonly missing: ReturnType<typeof missingOf>;
  /** Orders that have not ended, without the late ones. */
  readonly open: number;
  /** Orders that have not ended, and whose actions failed long ago, before tokens arrived. */
  readonly late: number;
}

/** The settings that a worker lacks, and the orders that need them. Orders are counted only when a setting is missing. */
async function ordersWithoutSettings(
  database: Pick<Database, '$queryRaw'>,
  config: WalletSettings,
): Promise<OrdersWithoutSettings> {
  const missing = missingOf(config);
  if (missing.length === 0) return { missing, open: 0, late: 0 };
  const [counts] = await database.$queryRaw<{ readonly open: number; readonly late: number }[]>`
    SELECT count(*) FILTER (WHERE NOT is_late)::int AS open, count(*) FILTER (WHERE is_late)::int AS late
      FROM (SELECT own.step = 'AWAITING_FUNDS' AND action.status = 'FAILED'
                   AND own."createdAt" < now() - make_interval(days => ${GIVEN_UP_DAYS}) AS is_late
              FROM "StockOrder" AS own JOIN "Action" AS action ON action.id = own."actionId"
             WHERE own.step <> 'ENDED') AS orders`;
  return { missing, ...(counts ?? { open: 0, late: 0 }) };
}
