import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type AccessControl, type AccessControlDeps, openAccessControl } from '../auth/open-access-control';
import type { Config } from '../config/config';
import { deploymentLimits } from '../auth/customer-limits';
import { queryTimeouts } from '../persistence/connection-pool';
import { type Database, type OpenDatabase, openDatabase, openScopedDatabase } from '../persistence/database';
import { createGasBudgets, type GasBudgets } from '../persistence/gas-budgets';
import { SERVICE_CONNECTIONS } from '../persistence/scoped-pool';
import { createServiceTransactionStore } from '../persistence/service-transaction-store';
import { createTokenMetadataStore } from '../persistence/token-metadata-store';
import { createTicketStore } from '../ramps/ticket-store';
import { createGasPricer, type GasPricer } from '../prices/gas-pricer';
import { createPriceSource, type PriceSource } from '../prices/price-source';
import type { TokenPriceReader } from '../prices/token-price';
import { createQuoteRequester } from '../venues/request-provider-quote';
import { createProviderGuards, type ProviderGuards } from '../venues/provider-guards';
import type { QuoteProvider } from '../venues/quote-provider';
import { createPoolDirectory } from '../pools/pool-directory';
import { createTransferProbe } from '../pools/transfer-probe';
import { type BitcoinRpc, createBitcoinRpc } from '../rpc/bitcoin/bitcoin-rpc';
import { createRpc, type Rpc } from '../rpc/rpc';
import { createServiceWallet, type ServiceWallet } from '../rpc/service-wallet';
import { createSolanaRpc, type SolanaRpc } from '../rpc/solana/solana-rpc';
import { createSolanaTokenMetadataReader, readerByChain } from '../rpc/solana/solana-token-metadata-reader';
import { createTokenMetadataReader } from '../rpc/token-metadata-reader';
import type { Strategies } from '../strategies/catalog/strategies';
import { NO_TELEMETRY, type Telemetry } from '../telemetry/telemetry';
import { traceQueries } from '../telemetry/tracing/trace-queries';
import { createTokenRegistry, type TokenInspector, type TokenRegistry } from '../tokens/token-registry';
import { type KycParts, openKyc } from './kyc';
import { countedRefusals, guardOptions, pixKeyRecorder } from './metrics/recorders';
import { openTokenPrices } from './price-sources';
import { registerProviders } from './providers';
import { openRamps, type Ramps } from './ramps';
import { tracedGuards } from './traced-guards';
import { openStrategies } from './open-strategies';
import { openStocks, type Stocks } from './open-stocks';

/** Connections and clients of a process, one of each. */
export interface Infrastructure {
  readonly config: Config;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  readonly database: Database;
  readonly pool: Pool;
  /** All pools of connections to the database. */
  readonly pools: readonly Pool[];
  readonly access: AccessControl;
  readonly rpc: Rpc;
  readonly solana: SolanaRpc;
  readonly bitcoin: BitcoinRpc;
  readonly tokens: TokenRegistry & TokenInspector;
  /** Prices that quotes and budgets of gas use. */
  readonly prices: PriceSource;
  /** Prices from all sources. */
  readonly tokenPrices: TokenPriceReader;
  readonly providers: readonly QuoteProvider[];
  /** Ids of those among them that have no keys, and reject every request. */
  readonly unconfigured: ReadonlySet<string>;
  readonly guards: ProviderGuards;
  readonly kyc: KycParts;
  readonly ramps: Ramps;
  /** Completes transfers and forwards payouts of ramps; `undefined` without a key. */
  readonly serviceWallet: ServiceWallet | undefined;
  readonly gasBudgets: GasBudgets;
  readonly priceGas: GasPricer;
  /** Empty until a role starts it. */
  readonly strategies: Strategies;
  readonly stocks: Stocks;
  close(): Promise<void>;
}

export function openInfrastructure(config: Config, log: Logger, telemetry: Telemetry = NO_TELEMETRY): Infrastructure {
  const { chains } = config;
  const opened = openTracedDatabase(config, log, telemetry);
  const { database, pool } = opened;
  const access = openAccess({ database, pool, config }, telemetry);
  const [rpc, solana] = [createRpc({ chains, log }), createSolanaRpc({ chains, log })];
  const bitcoin = createBitcoinRpc(chains);
  const metadata = readerByChain(solana, {
    evm: createTokenMetadataReader({ rpc }),
    solana: createSolanaTokenMetadataReader({ solana }),
  });
  const pools = createPoolDirectory({ rpc });
  const probe = createTransferProbe({ rpc });
  const ramps = openRamps(config, pixKeyRecorder(telemetry.metrics));
  const kyc = openKyc(config, ramps);
  const tickets = createTicketStore({ database, vault: kyc.vault, chains: chains.table });
  const guards = openGuards(telemetry);
  const prices = createPriceSource({ rpc, pools, chains: chains.table });
  const priceSources = openTokenPrices({ config, rpc, pools, guards, log });
  const gasBudgets = createGasBudgets({ limits: deploymentLimits(config), log });
  const priceGas = createGasPricer({ prices, chains: chains.table, log });
  const serviceWallet = openServiceWallet({ config, database, rpc, log, gasBudgets, priceGas });
  // Quotes for the legs of a composed route share the budget of the route.
  const requestProviderQuote = createQuoteRequester({ budgetMs: Math.ceil(config.QUOTE_BUDGET_MS / 2), log, guards });
  const strategies = openStrategies({ config, rpc, log });
  const stocks = openStocks({ config, database, rpc, log, serviceWallet, priceGas, gasBudgets });
  const local = { config, rpc, solana, bitcoin, pools, probe };
  const registered = registerProviders({ ...local, log, ramps, tickets, requestProviderQuote, serviceWallet });
  return {
    config,
    log,
    telemetry,
    database,
    pool,
    pools: opened.pools,
    access,
    rpc,
    solana,
    bitcoin,
    tokens: createTokenRegistry({ metadata, store: createTokenMetadataStore(database), log }),
    prices,
    tokenPrices: priceSources.tokenPrices,
    providers: registered.providers,
    unconfigured: registered.unconfigured,
    guards,
    kyc,
    ramps,
    serviceWallet,
    gasBudgets,
    priceGas,
    strategies,
    stocks,
    async close() {
      await Promise.all([access.stop(), strategies.stop()]);
      const parts = [registered, priceSources, solana, bitcoin, kyc.evidence.fetch, ramps, stocks];
      await Promise.all(parts.map((part) => part.close()));
      await opened.close();
    },
  };
}

function openTracedDatabase(config: Config, log: Logger, { tracer }: Telemetry): OpenDatabase {
  const { DATABASE_URL: url, DATABASE_POOL_SIZE: poolSize, DATABASE_ROW_LEVEL_SECURITY: security, ROLE } = config;
  const timeouts = queryTimeouts(config.DATABASE_TIMEOUT_MS);
  const works = ROLE === 'all' || ROLE === 'worker';
  const opened =
    security === 'off'
      ? openDatabase({ url, poolSize, log, timeouts })
      : openScopedDatabase({ url, poolSize, log, timeouts, servicePoolSize: works ? poolSize : SERVICE_CONNECTIONS });
  if (tracer !== undefined) opened.pools.forEach((pool) => traceQueries(pool, tracer));
  return opened;
}

/** Its refusals are counted. */
function openAccess(deps: AccessControlDeps, { metrics }: Telemetry): AccessControl {
  const access = openAccessControl(deps);
  return { ...access, rateLimiter: countedRefusals(metrics, access.rateLimiter) };
}

const openGuards = ({ metrics, tracer }: Telemetry): ProviderGuards =>
  tracedGuards(tracer, createProviderGuards(guardOptions(metrics)));

function openServiceWallet({
  config,
  database,
  rpc,
  log,
  gasBudgets,
  priceGas,
}: Pick<Infrastructure, 'config' | 'database' | 'rpc' | 'log' | 'gasBudgets' | 'priceGas'>): ServiceWallet | undefined {
  const key = config.SERVICE_WALLET_KEY;
  if (key === undefined) return undefined;
  const store = createServiceTransactionStore({ database, gasBudgets });
  return createServiceWallet({ key, rpc, store, priceGas, log });
}
