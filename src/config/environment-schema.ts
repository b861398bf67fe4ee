import { z } from 'zod';

const secret = z.string().regex(/^[0-9a-f]{64,}$/i, 'must be at least 32 bytes in hexadecimal');
const privateKey = z.custom<`0x${string}`>(
  (value) => typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value),
  'must be 0x and 64 hexadecimal digits',
);
const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false'])
    .default(fallback ? 'true' : 'false')
    .transform((text) => text === 'true');
const positive = (fallback: number) => z.coerce.number().int().positive().default(fallback);
const dataKeys = z
  .string()
  .regex(/^[0-9]{1,9}:[0-9a-f]{64}(?:,[0-9]{1,9}:[0-9a-f]{64})*$/i, 'must be like 2:<64 hexadecimal digits>,1:<…>')
  .transform((text) =>
    text.split(',').map((entry) => {
      const [version = '', digits = ''] = entry.split(':');
      return { version: Number.parseInt(version, 10), key: Buffer.from(digits, 'hex') };
    }),
  );
const list = z.string().transform((text) => text.split(',').map((item) => item.trim()));

/**
 * The variables that the service reads, with their defaults. Durations are in the unit that the name ends with.
 * `CHAINS_FILE`, `TOKEN_LIST_FILES` and `RPC_URL_<SLUG>` are read beside it.
 */
export const environmentSchema = z.object({
  /** `all` runs everything in one process. */
  ROLE: z.enum(['all', 'gateway', 'subgraph', 'worker']).default('all'),
  /** Which subgraph a process of role `subgraph` serves. */
  SUBGRAPH: z.enum(['swaps', 'wallets', 'customers', 'kyc']).optional(),
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(4000),
  /** Where callers reach the service, when that is not HOST and PORT. */
  PUBLIC_URL: z.url().optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(?:ql)?$/ }),
  DATABASE_POOL_SIZE: positive(10),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),

  /** Key of the HMAC under which API key secrets are stored. Losing it invalidates every key. */
  API_KEY_PEPPER: secret,
  /** Identity provider of the dashboard routes; without it every access token is refused. */
  JWKS_URL: z.url({ protocol: /^https?$/ }).optional(),
  JWT_ISSUER: z.string().optional(),
  JWT_AUDIENCE: z.string().optional(),
  JWT_CUSTOMER_CLAIM: z.string().default('customer_id'),
  JWT_ROLE_CLAIM: z.string().default('role'),
  /** Sanctioned addresses that are refused in any field, comma-separated. */
  BLOCKED_ADDRESSES: list.optional(),
  RATE_LIMIT_PER_MINUTE: positive(100),
  RATE_LIMIT_PER_HOUR: positive(1000),
  RATE_LIMIT_PER_MINUTE_UNAUTHENTICATED: positive(60),
  /** Number of proxies in front whose X-Forwarded-For entry is believed. */
  TRUSTED_PROXIES: z.coerce.number().int().min(0).default(0),
  CORS_ORIGINS: list.default(['*']),
  /** Lets callers name webhook receivers on this machine, over plain HTTP. */
  ALLOW_LOOPBACK_URLS: flag(false),

  GRAPHQL_INTROSPECTION: flag(true),
  REQUEST_TIMEOUT_MS: positive(30_000),
  SUBGRAPH_TIMEOUT_MS: positive(20_000),
  /** A subgraph with a URL is reached over HTTP instead of in process. */
  SUBGRAPH_URL_SWAPS: z.url().optional(),
  SUBGRAPH_URL_WALLETS: z.url().optional(),
  SUBGRAPH_URL_CUSTOMERS: z.url().optional(),
  SUBGRAPH_URL_KYC: z.url().optional(),
  /** Signs the requests between gateway and subgraphs; required as soon as one of them is a process of its own. */
  INTERNAL_SECRET: secret.optional(),

  /** Providers of other parties. One whose key is missing is not registered; `GET /health` says so. */
  ACROSS_API_URL: z.url().default('https://app.across.to/api'),
  ACROSS_API_KEY: z.string().optional(),
  /** Two bytes in hexadecimal by which Across knows the integrator. */
  ACROSS_INTEGRATOR_ID: z
    .string()
    .regex(/^0x[0-9a-fA-F]{4}$/)
    .optional(),
  /** Circle's attestation service; it asks for no key. */
  CCTP_API_URL: z.url().default('https://iris-api.circle.com'),
  LIFI_API_URL: z.url().default('https://li.quest'),
  LIFI_API_KEY: z.string().optional(),
  ZEROEX_API_URL: z.url().default('https://api.0x.org'),
  ZEROEX_API_KEY: z.string().optional(),
  JUPITER_API_URL: z.url().default('https://api.jup.ag'),
  JUPITER_API_KEY: z.string().optional(),
  /** Provider of deposit addresses for Bitcoin. `RPC_URL_BITCOIN` is the Esplora server that tells what arrived there. */
  RELAY_API_URL: z.url().default('https://api.relay.link'),
  RELAY_API_KEY: z.string().optional(),

  /** Names by which `rampProvider` may call the ramps, beside `primary` and `secondary`. */
  PRIMARY_RAMP_NAME: z.string().default('avenia'),
  PRIMARY_RAMP_URL: z.url().default('https://api.avenia.io:8443'),
  PRIMARY_RAMP_API_KEY: z.string().optional(),
  /** RSA key that signs the requests to the primary ramp: PEM, line breaks may be written as \n. */
  PRIMARY_RAMP_PRIVATE_KEY: z.string().optional(),
  SECONDARY_RAMP_NAME: z.string().default('unblockpay'),
  SECONDARY_RAMP_URL: z.url().default('https://api.unblockpay.com'),
  SECONDARY_RAMP_API_KEY: z.string().optional(),
  /** Last segment of the path that the secondary ramp calls back at: it signs nothing. */
  SECONDARY_RAMP_CALLBACK_SECRET: secret.optional(),
  /** Keys that encrypt personal data, newest first: `2:<64 hexadecimal digits>,1:<…>`. Required for ramps. */
  PERSONAL_DATA_KEYS: dataKeys.optional(),
  /** Key of the blind indexes by which people are found. Losing it makes them unfindable. */
  BLIND_INDEX_KEY: secret.optional(),
  /** Hosts that evidence may be fetched from; a leading dot allows the hosts below it. */
  EVIDENCE_HOSTS: list.optional(),

  /** Key of the wallet that the service completes transfers with; without it the receiver does. */
  SERVICE_WALLET_KEY: privateKey.optional(),
  /** Transfers that are worth less, in dollars, are left to their receivers to complete. */
  COMPLETION_LEAST_USD: z.coerce.number().nonnegative().default(1),
  /** Key by which the verifying paymasters of the chains know what the service sponsors. */
  PAYMASTER_SIGNER_KEY: privateKey.optional(),

  QUOTE_BUDGET_MS: positive(3000),
  QUOTE_LIFETIME_SECONDS: positive(300),
  /** How long after the quote's deadline an action of which nothing was seen is given up. */
  ACTION_EXPIRY_SECONDS: positive(86_400),
  TRACKER_POLL_MS: positive(1000),
  /** Time between two looks at a transfer that is on its way to another chain; longer the older it is. */
  DELIVERY_POLL_MS: positive(2000),
});
