import { z } from 'zod';
import { evmAddressProblem, parseEvmAddress } from '../chains/addresses';
import { parseShare } from '../money/slippage';
import { parseUsd } from '../money/usd';
import { UPLOAD_MEGABYTES } from './upload-bounds';

const secret = z
  .string({ error: 'is required: 32 random bytes in hexadecimal, such as those of "openssl rand -hex 32"' })
  .regex(/^[0-9a-f]{64,}$/i, 'must be at least 32 bytes in hexadecimal');
/** Order of the curve secp256k1, the bound of its private keys. */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const isPrivateKey = (value: unknown): value is `0x${string}` =>
  typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value) && BigInt(value) > 0n && BigInt(value) < CURVE_ORDER;
const privateKey = z.custom<`0x${string}`>(isPrivateKey, 'must be a private key: 0x and 64 hexadecimal digits');
const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false'])
    .default(fallback ? 'true' : 'false')
    .transform((text) => text === 'true');
const positive = (fallback: number) => z.coerce.number().int().positive().default(fallback);
/** A timeout in milliseconds. */
const timeout = (fallback: number, [min, max]: readonly [number, number]) =>
  z.coerce.number().int().min(min).max(max).default(fallback);
/** A decimal that is kept exactly. `parse` returns `undefined` for an invalid text. */
const exact = <Value extends bigint>(
  parse: (text: string) => Value | undefined,
  { fallback, expected }: { readonly fallback: string; readonly expected: string },
) =>
  z
    .string()
    .default(fallback)
    .transform((text, context): Value => {
      const value = parse(text);
      if (value !== undefined) return value;
      context.addIssue({ code: 'custom', message: `must be ${expected}` });
      return z.NEVER;
    });
/** US dollars, not negative. */
const usdAmount = (fallback: string) =>
  exact((text) => (text.startsWith('-') ? undefined : parseUsd(text)), {
    fallback,
    expected: 'an amount of US dollars, such as 1.5',
  });
const dataKeys = z
  .string()
  .regex(/^[0-9]{1,9}:[0-9a-f]{64}(?:,[0-9]{1,9}:[0-9a-f]{64})*$/i, 'must be like 2:<64 hexadecimal digits>,1:<…>')
  .transform((text) =>
    text.split(',').map((entry) => {
      const [version = '', digits = ''] = entry.split(':');
      return { version: Number.parseInt(version, 10), key: Buffer.from(digits, 'hex') };
    }),
  );
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' });
/** Less than the whole amount. */
const feeBps = z.coerce.number().int().min(0).max(9999).default(0);
const evmAddress = z.string().transform((text, context) => {
  const address = parseEvmAddress(text);
  if (address !== undefined) return address;
  context.addIssue({ code: 'custom', message: evmAddressProblem(text) });
  return z.NEVER;
});
/** As the specification of OpenTelemetry writes them; values may be percent-encoded. */
const otlpHeaders = z
  .string()
  .regex(/^\s*[\w-]+\s*=[^,]*(?:,\s*[\w-]+\s*=[^,]*)*$/, 'must be like name=value,other=value')
  .transform((text, context): Readonly<Record<string, string>> => {
    try {
      return Object.fromEntries(
        text.split(',').map((entry) => {
          const at = entry.indexOf('=');
          return [entry.slice(0, at).trim().toLowerCase(), decodeURIComponent(entry.slice(at + 1).trim())];
        }),
      );
    } catch {
      context.addIssue({ code: 'custom', message: 'must be like name=value,other=value, percent-encoded' });
      return z.NEVER;
    }
  });
const list = z.string().transform((text) => text.split(',').map((item) => item.trim()));

/**
 * The variables that the service reads, with their defaults. Durations are in the unit that the name ends with.
 * `CHAINS_FILE`, `STRATEGIES_FILE`, `TOKEN_LIST_FILES` and `RPC_URL_<SLUG>` are read separately.
 */
export const environmentSchema = z.object({
  /** `all` runs everything in one process. */
  ROLE: z.enum(['all', 'gateway', 'subgraph', 'worker']).default('all'),
  /** Subgraph of a process with the role `subgraph`. */
  SUBGRAPH: z.enum(['swaps', 'wallets', 'customers', 'kyc', 'strategies']).optional(),
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(4000),
  /** Public URL of the service, when it differs from HOST and PORT. */
  PUBLIC_URL: httpUrl.optional(),
  DATABASE_URL: z.url({
    protocol: /^postgres(?:ql)?$/,
    error: 'must be a URL like postgres://user:password@host:5432/database; encode special characters of the password',
  }),
  DATABASE_POOL_SIZE: positive(10),
  /** Timeout of a statement. A wait for a lock has two fifths of it, a transaction twice as much. */
  DATABASE_TIMEOUT_MS: timeout(5000, [500, 60_000]),
  /** `off` serves requests as the user of DATABASE_URL: tenancy is then enforced by the code alone. */
  DATABASE_ROW_LEVEL_SECURITY: z.enum(['on', 'off']).default('on'),
  /** Port of the metrics for Prometheus, which are off without it. They need no credential: it must not be public. */
  METRICS_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  /** Receiver of traces (OTLP over HTTP); without it none are made, and nothing of it is loaded. */
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  /** Headers for the receiver: `name=value,…`. */
  OTEL_EXPORTER_OTLP_HEADERS: otlpHeaders.default({}),
  OTEL_SERVICE_NAME: z.string().default('afluente'),
  /** Share of the requests that are traced. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),

  /** HMAC key for stored API key secrets. Losing it invalidates every API key. */
  API_KEY_PEPPER: secret,
  /** Identity provider of the dashboard routes; without it every access token is rejected. */
  JWKS_URL: httpUrl.optional(),
  JWT_ISSUER: z.string().optional(),
  JWT_AUDIENCE: z.string().optional(),
  JWT_CUSTOMER_CLAIM: z.string().default('customer_id'),
  JWT_ROLE_CLAIM: z.string().default('role'),
  /** Sanctioned addresses, comma-separated. They are rejected in every field. */
  BLOCKED_ADDRESSES: list.optional(),
  RATE_LIMIT_PER_MINUTE: positive(100),
  RATE_LIMIT_PER_HOUR: positive(1000),
  RATE_LIMIT_PER_MINUTE_UNAUTHENTICATED: positive(60),
  /** Limits of each customer; `npm run admin -- customer limit` sets others for one customer. docs/limits.md has them all. */
  MAX_OPEN_ACTIONS: positive(10_000),
  MAX_OPEN_DRAFTS: positive(50_000),
  MAX_OPEN_DELIVERIES: positive(2000),
  MAX_REGISTERED_WALLETS: positive(100_000),
  MAX_WATCHED_WALLETS: positive(10_000),
  /** Blocks before a wallet is watched whose token movements are added. */
  BACKFILL_BLOCKS: z.coerce.number().int().min(0).max(100_000_000).default(100_000),
  /** These four are limits of each process. */
  MAX_ACTION_WATCHES: positive(1000),
  MAX_QUOTE_STREAMS: positive(50),
  MAX_RATE_WATCHES: positive(100),
  MAX_UPLOAD_MEGABYTES: z.coerce.number().int().min(UPLOAD_MEGABYTES.min).max(UPLOAD_MEGABYTES.max).default(80),
  /** Gas that the service pays for each customer in 24 hours, in US dollars. */
  MAX_SPONSORED_GAS_USD_PER_DAY: positive(100),
  MAX_COMPLETION_GAS_USD_PER_DAY: positive(100),
  MAX_DEPLOYMENT_GAS_USD_PER_DAY: positive(20),
  /** Number of proxies whose X-Forwarded-For entry is trusted. */
  TRUSTED_PROXIES: z.coerce.number().int().min(0).default(0),
  CORS_ORIGINS: list.default(['*']),
  /** Allows webhook receivers on this machine, over plain HTTP. */
  ALLOW_LOOPBACK_URLS: flag(false),

  /** Wallet in the examples of GraphiQL and the API reference. */
  EXAMPLE_WALLET: z.string().optional(),
  /** API key that these pages open with, readable by every visitor: for demonstrations only. */
  EXAMPLE_API_KEY: z.string().optional(),

  GRAPHQL_INTROSPECTION: flag(true),
  /** Maximum number of GraphQL documents of one customer that wait for their query plan. */
  PLANNING_LIMIT_PER_CUSTOMER: positive(20),
  PLANNING_TIMEOUT_MS: timeout(2000, [100, 10_000]),
  /** Maximum number of quotes, and of executions, that are computed at a time. Fewer while the event loop is slow. */
  QUOTE_CONCURRENCY: positive(64),
  EXECUTION_CONCURRENCY: positive(32),
  /** Maximum number of quotes, and of executions, that wait for their turn, and the maximum time. */
  QUEUE_LIMIT: positive(200),
  QUEUE_TIMEOUT_MS: positive(2000),
  /** Mean delay of the event loop above which the concurrency of quotes and executions falls. */
  EVENT_LOOP_DELAY_MS: positive(25),
  REQUEST_TIMEOUT_MS: positive(30_000),
  SUBGRAPH_TIMEOUT_MS: positive(20_000),
  /** Time between SIGTERM, when readiness turns 503, and the moment the port closes. */
  SHUTDOWN_DRAIN_MS: z.coerce.number().int().min(0).max(300_000).default(5000),
  /** URL of a subgraph in another process; without it the subgraph runs in this process. */
  SUBGRAPH_URL_SWAPS: httpUrl.optional(),
  SUBGRAPH_URL_WALLETS: httpUrl.optional(),
  SUBGRAPH_URL_CUSTOMERS: httpUrl.optional(),
  SUBGRAPH_URL_KYC: httpUrl.optional(),
  SUBGRAPH_URL_STRATEGIES: httpUrl.optional(),
  /** Signs the requests between gateway and subgraphs; required when they run in separate processes. */
  INTERNAL_SECRET: secret.optional(),

  /** Third-party providers. Without its key a provider is not registered, which is logged at start-up. */
  ACROSS_API_URL: httpUrl.default('https://app.across.to/api'),
  ACROSS_API_KEY: z.string().optional(),
  /** Integrator id at Across: two bytes in hexadecimal. */
  ACROSS_INTEGRATOR_ID: z
    .string()
    .regex(/^0x[0-9a-fA-F]{4}$/, 'must be 0x and 4 hexadecimal digits')
    .optional(),
  /** Circle's attestation service, which needs no key. */
  CCTP_API_URL: httpUrl.default('https://iris-api.circle.com'),
  LIFI_API_URL: httpUrl.default('https://li.quest'),
  LIFI_API_KEY: z.string().optional(),
  ZEROEX_API_URL: httpUrl.default('https://api.0x.org'),
  ZEROEX_API_KEY: z.string().optional(),
  JUPITER_API_URL: httpUrl.default('https://api.jup.ag'),
  JUPITER_API_KEY: z.string().optional(),
  /** Provider of deposit addresses for Bitcoin. `RPC_URL_BITCOIN` is the Esplora server for reading deposits. */
  RELAY_API_URL: httpUrl.default('https://api.relay.link'),
  RELAY_API_KEY: z.string().optional(),

  /** Sources of token prices besides pools and Chainlink. A source without its URL or key is not used. */
  DEFILLAMA_API_URL: httpUrl.optional(),
  /** `https://api.coingecko.com/api/v3` with a key of the demo plan. */
  COINGECKO_API_URL: httpUrl.default('https://pro-api.coingecko.com/api/v3'),
  COINGECKO_API_KEY: z.string().optional(),
  /** Requests of one process; those of the demo plan by default. */
  COINGECKO_REQUESTS_PER_MONTH: positive(10_000),
  /** Requests of one process to each other source. */
  PRICE_REQUESTS_PER_MINUTE: positive(60),
  /** Pyth's service Hermes. */
  PYTH_API_URL: httpUrl.default('https://hermes.pyth.network'),
  PYTH_API_KEY: z.string().optional(),
  /** Brazil's central bank, for the price of bank reais. */
  PTAX_API_URL: httpUrl.optional(),

  /** Names of the ramps in `rampProvider`, in addition to `primary` and `secondary`. */
  PRIMARY_RAMP_NAME: z.string().default('avenia'),
  PRIMARY_RAMP_URL: httpUrl.default('https://api.avenia.io:8443'),
  PRIMARY_RAMP_API_KEY: z.string().optional(),
  /** RSA key that signs the requests to the primary ramp, as PEM; line breaks may be written as \n. */
  PRIMARY_RAMP_PRIVATE_KEY: z.string().optional(),
  SECONDARY_RAMP_NAME: z.string().default('unblockpay'),
  SECONDARY_RAMP_URL: httpUrl.default('https://api.unblockpay.com'),
  SECONDARY_RAMP_API_KEY: z.string().optional(),
  /** Secret last path segment of the secondary ramp's callback URL, since it does not sign callbacks. */
  SECONDARY_RAMP_CALLBACK_SECRET: secret.optional(),
  /** Keys that encrypt personal data, newest first: `2:<64 hexadecimal digits>,1:<…>`. Required for ramps. */
  PERSONAL_DATA_KEYS: dataKeys.optional(),
  /** Key of the blind indexes for lookups of persons. Without it no stored person can be found. */
  BLIND_INDEX_KEY: secret.optional(),
  /** Hosts for fetching evidence; a leading dot allows all subdomains. */
  EVIDENCE_HOSTS: list.optional(),

  /** Fees on strategies in basis points: of a deposit, and of the profit at a withdrawal. */
  STRATEGY_ENTRY_FEE_BPS: feeBps,
  STRATEGY_PERFORMANCE_FEE_BPS: feeBps,
  STRATEGY_MARKUP_FEE_BPS: feeBps,
  /** Wallet that receives these fees, on every EVM chain. */
  STRATEGY_FEE_COLLECTOR: evmAddress.optional(),
  /** Maximum cost of the gas for collecting the fees of one wallet without a withdrawal, in US dollars. */
  COLLECTION_GAS_MAX_USD: usdAmount('1'),

  /** Tokenized stocks: the issuer's API. Without its key no orders are accepted. */
  TOKENIZED_STOCK_API_URL: httpUrl.default('https://api.gm.ondo.finance'),
  TOKENIZED_STOCK_API_KEY: z.string().optional(),
  /** Order book of CoW Protocol for the chain of the stocks. */
  COW_API_URL: httpUrl.default('https://api.cow.fi/bnb'),
  /** The keys of the wallets of orders are derived from it. Losing it loses what these wallets hold. */
  ORDER_WALLET_SECRET: secret.optional(),

  /** Least value of an order, in US dollars. */
  TOKENIZED_STOCK_MIN_USD: usdAmount('5'),
  /** Maximum cost of the gas that the wallet of one order is given, in US dollars; most of it is returned. */
  ORDER_GAS_MAX_USD: usdAmount('10'),
  /** Orders of one customer that are funded or may still be, and have not ended. */
  MAX_OPEN_ORDERS: positive(500),

  /** Key of the wallet that completes transfers; without it the recipient completes them. */
  SERVICE_WALLET_KEY: privateKey.optional(),
  /** Minimum value of a transfer that the service completes, in US dollars. Recipients complete smaller ones. */
  COMPLETION_MIN_USD: usdAmount('1'),
  /** Maximum cost of the gas for completing a transfer, as a share of its value. Recipients complete more expensive ones. */
  COMPLETION_MAX_COST_SHARE: exact(parseShare, {
    fallback: '0.1',
    expected: 'a share from 0 to 1 with at most 6 decimals, such as 0.1',
  }),
  /** Whether the service deploys smart accounts, with `SERVICE_WALLET_KEY`. Without it their first user operation does. */
  DEPLOY_SMART_ACCOUNTS: flag(false),
  /** Maximum cost of the gas for deploying one smart account, in US dollars. */
  DEPLOYMENT_MAX_USD: usdAmount('2'),
  /** Key that signs sponsored user operations for the verifying paymasters. */
  PAYMASTER_SIGNER_KEY: privateKey.optional(),

  QUOTE_BUDGET_MS: positive(3000),
  /** Timeout of reading token prices and positions; balances have three quarters of it. An overview takes up to four times as long. */
  READ_TIMEOUT_MS: timeout(2000, [1000, 7000]),
  /** Largest price impact of an offer, in basis points, unless a request sets `maxPriceImpactBps`. */
  MAX_PRICE_IMPACT_BPS: z.coerce.number().int().min(0).max(10_000).default(1500),
  QUOTE_LIFETIME_SECONDS: positive(300),
  /** Time after the quote's deadline until an action without an observed transaction expires. */
  ACTION_EXPIRY_SECONDS: positive(86_400),
  /** Days until a quote that was not executed, and a draft, are deleted after they expired. */
  QUOTE_RETENTION_DAYS: positive(7),
  /** Days until the issued calls, and the events without a change of the status, of an ended action are deleted. */
  ACTION_DETAIL_RETENTION_DAYS: positive(90),
  /** Days until a received callback is deleted. Ramps repeat undelivered callbacks for a day. */
  RAMP_CALLBACK_RETENTION_DAYS: z.coerce.number().int().min(2).default(7),
  /** Days until the personal data of a completed payment at a ramp is deleted. */
  RAMP_TICKET_RETENTION_DAYS: positive(3650),
  /** Days until a recorded change by a user of the dashboard is deleted. */
  AUDIT_RETENTION_DAYS: positive(730),
  TRACKER_POLL_MS: positive(1000),
  /** Chains whose token transfers are recorded for the wallets of customers: `on` for all, `off`, or slugs. */
  INDEX_WALLETS: z
    .string()
    .regex(/^[a-z0-9-]+(?:\s*,\s*[a-z0-9-]+)*$/, 'must be "on", "off", or slugs of chains such as "base,polygon"')
    .default('off'),
  /** Initial poll interval of a transfer to another chain; it grows with each poll. */
  DELIVERY_POLL_MS: positive(2000),
});
