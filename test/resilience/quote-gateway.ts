import { pino } from 'pino';
import type { CustomerId } from '../../src/auth/principal';
import { loadConfig } from '../../src/config/config';
import { createApiKey } from '../../src/customers/api-keys';
import { createCustomer } from '../../src/customers/customers';
import { openInfrastructure } from '../../src/main/infrastructure';
import { startGateway } from '../../src/main/service';
import type { Database } from '../../src/persistence/database';
import { createProviderGuards, type ProviderGuardOptions } from '../../src/venues/provider-guards';
import type { QuoteProvider } from '../../src/venues/quote-provider';
import { LONG_DATABASE_TIMEOUT, NO_LOAD_SHEDDING } from '../setup/no-load-shedding';
import type { RestResponse } from '../setup/running-service';
import { createTestDatabase } from '../setup/test-database';
import { chains, devnet, PRICED, quoteDeps } from '../swaps/swap-world';

const PEPPER = 'ab'.repeat(32);

export interface QuoteGatewayOptions {
  readonly providers: readonly QuoteProvider[];
  readonly guards?: ProviderGuardOptions;
  readonly budgetMs?: number;
  readonly lifetimeSeconds?: number;
  readonly rateLimitPerMinute?: number;
}

export interface Tenant {
  readonly id: CustomerId;
  readonly apiKey: string;
  readonly keyId: string;
}

type GatewayResponse = Pick<RestResponse, 'status' | 'body'>;

/** The gateway of the service on a free port, with providers, prices and gas fees in this process. */
export interface QuoteGateway {
  readonly url: string;
  readonly database: Database;
  readonly one: Tenant;
  readonly other: Tenant;
  /** Number of quote requests that have reached the providers. */
  readonly arrived: () => number;
  get(path: string, tenant?: Tenant): Promise<GatewayResponse>;
  /** Requests a quote for five dollars, with `changes` to the parameters. */
  quote(changes?: Readonly<Record<string, string>>, tenant?: Tenant): Promise<GatewayResponse>;
  stop(): Promise<void>;
}

export async function startQuoteGateway(options: QuoteGatewayOptions): Promise<QuoteGateway> {
  const { providers, guards, budgetMs = 1000, lifetimeSeconds = 300, rateLimitPerMinute = 100_000 } = options;
  const world = await createTestDatabase();
  const [one, other] = [await tenant(world.database, 'one'), await tenant(world.database, 'other')];
  const config = {
    ...loadConfig({
      ...NO_LOAD_SHEDDING,
      ...LONG_DATABASE_TIMEOUT,
      DATABASE_URL: world.url,
      API_KEY_PEPPER: PEPPER,
      PORT: '0',
      SHUTDOWN_DRAIN_MS: '0',
      DATABASE_POOL_SIZE: '10',
      QUOTE_BUDGET_MS: String(budgetMs),
      QUOTE_LIFETIME_SECONDS: String(lifetimeSeconds),
      // The scripted providers offer any amount.
      MAX_PRICE_IMPACT_BPS: '10000',
      RATE_LIMIT_PER_MINUTE: String(rateLimitPerMinute),
      RATE_LIMIT_PER_HOUR: '1000000',
      QUOTE_CONCURRENCY: '1000',
    }),
    chains: { table: chains, rpcUrls: new Map([[devnet.chainId, 'http://127.0.0.1:9']]) },
  };
  const infrastructure = openInfrastructure(config, pino({ level: 'silent' }));
  const { tokens, prices, rpc } = quoteDeps();
  let arrived = 0;
  const feeData = (): ReturnType<typeof rpc.feeData> => {
    arrived += 1;
    return rpc.feeData(devnet.chainId);
  };
  const gateway = await startGateway({
    ...infrastructure,
    providers,
    unconfigured: new Set(),
    tokens: { ...infrastructure.tokens, ...tokens },
    prices: { ...infrastructure.prices, ...prices },
    rpc: { ...infrastructure.rpc, feeData: feeData as never },
    guards: createProviderGuards(guards),
  });
  const get = async (path: string, { apiKey } = one): Promise<GatewayResponse> => {
    const response = await fetch(gateway.url + path, { headers: { 'x-api-key': apiKey } });
    return { status: response.status, body: await response.json() };
  };
  return {
    url: gateway.url,
    database: world.database,
    one,
    other,
    get,
    arrived: () => arrived,
    quote: (changes = {}, by) => get(`/v2/swap/quote?${new URLSearchParams({ ...PRICED, ...changes }).toString()}`, by),
    async stop() {
      await gateway.close();
      await infrastructure.close();
      await world.drop();
    },
  };
}

async function tenant(database: Database, name: string): Promise<Tenant> {
  const { id } = await createCustomer(database, { name });
  const created = await createApiKey({ database, pepper: PEPPER }, { customerId: id, label: name });
  if (created === undefined) throw new Error(`the customer ${name} vanished`);
  return { id, apiKey: created.key, keyId: created.id };
}
