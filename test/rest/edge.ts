import { pino } from 'pino';
import type { Authenticator } from '../../src/auth/credentials/authenticator';
import { invalidApiKey } from '../../src/auth/credentials/invalid-api-key';
import type { IdempotencyStore, StoredResponse } from '../../src/auth/idempotency/idempotency-store';
import type { CustomerId } from '../../src/auth/principal';
import type { RateLimiter, RateLimitSubject } from '../../src/auth/rate-limit/rate-limiter';
import { serviceError } from '../../src/errors/service-error';
import type { Metrics } from '../../src/telemetry/metrics/metrics';
import type { Tracer } from '../../src/telemetry/tracing/tracer';
import { DEFAULT_EXAMPLE } from '../../gateway/edge/example-values';
import { createHeavyWork, type HeavyWork, type HeavyWorkSettings } from '../../gateway/edge/overload/heavy-work';
import type { GatewayDependencies, HealthCheck, HealthReport } from '../../gateway/http/gateway-dependencies';
import { createGatewayServer } from '../../gateway/http/server';
import type { FederatedGraph } from '../../gateway/federation/federated-graph';
import { openApiText } from '../../gateway/rest/openapi/openapi-document';
import { expectDescribed } from '../openapi/expect-described';
import { createFakeGraph, type FakeResolver } from './fake-graph';

export const KEY = 'sk_live_test';
/** Key of another customer. */
export const OTHER_KEY = 'sk_live_other';
export const QUOTE_ID = '01890a5d-ac96-774b-bcce-b302099a8057';
export const WALLET = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

export const QUOTE = {
  quoteId: QUOTE_ID,
  provider: 'test',
  expectedAmountOut: '2000',
  minAmountOut: '1990',
  deadlineDate: new Date('2026-01-31T12:00:00Z'),
};

export const ACTION = {
  id: QUOTE_ID,
  type: 'SAMECHAIN_SWAP',
  status: 'PENDING',
  createdAt: new Date('2026-01-31T12:00:00Z'),
  amounts: { assetIn: { amountRaw: '5', amountInUSD: null }, assetOut: null },
};

const TRANSFER = { id: QUOTE_ID, chainId: 8453, transactionData: [], bytecode: [] };

const ROOTS: Readonly<Record<string, FakeResolver>> = {
  'Query.swapQuote': () => ({ quote: QUOTE }),
  'Query.swapQuotes': () => [{ provider: 'test', quote: QUOTE }],
  'Query.swapStatus': ({ id }) => ({ id, quoteId: id, status: 'PENDING' }),
  'Query.actions': ({ page, limit }) => ({
    data: [ACTION],
    pagination: { page: page ?? 1, limit: limit ?? 20, total: 1, totalPages: 1, hasMore: false },
  }),
  'Query.action': () => ACTION,
  'Query.wallet': ({ address }) => ({ address }),
  'Query.me': () => ({ id: 'customer', name: 'Test' }),
  'Query.ping': () => true,
  'Mutation.createSwapTransaction': ({ quoteId }) => ({ id: QUOTE_ID, chainId: 8453, quoteId, transactionData: [] }),
  'Mutation.createTransfer': () => TRANSFER,
  'Query.transfer': () => TRANSFER,
  'Mutation.reportActionTransaction': () => ACTION,
  'Subscription.ticks': async function* ({ count }) {
    for (let tick = 1; tick <= count; tick += 1) yield await Promise.resolve(tick);
  },
};

export interface Edge {
  readonly url: string;
  readonly log: readonly Record<string, unknown>[];
  /** Charges of the rate limiter, in order. */
  readonly charges: readonly { readonly subject: RateLimitSubject; readonly cost: number }[];
  readonly heavyWork: Pick<HeavyWork, 'state'>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

export interface EdgeOptions {
  /** Limits of quotes and executions. */
  readonly heavyWork?: Partial<HeavyWorkSettings>;
  readonly roots?: Readonly<Record<string, FakeResolver>>;
  readonly config?: Partial<GatewayDependencies['config']>;
  readonly limit?: number;
  readonly health?: GatewayDependencies['health'];
  readonly rampCallbacks?: GatewayDependencies['rampCallbacks'];
  readonly paymentQrCode?: GatewayDependencies['paymentQrCode'];
  /** Replaces the in-memory graph and its `roots`. */
  readonly graph?: FederatedGraph;
  /** Replaces the limits of all customers. */
  readonly findLimit?: GatewayDependencies['findLimit'];
  /** Whether the API key is revoked. */
  readonly revoked?: () => boolean;
  /** Replaces the in-memory credentials. */
  readonly authenticator?: Authenticator;
  readonly metrics?: Metrics;
  readonly tracer?: Tracer;
  /** Resolves at the end of the drain. */
  readonly waitForDrain?: GatewayDependencies['waitForDrain'];
}

/** Longer than any test: a busy machine does not end a request before its response. */
const LONG_MS = 600_000;

const HEAVY_WORK: HeavyWorkSettings = {
  QUOTE_CONCURRENCY: 100,
  EXECUTION_CONCURRENCY: 100,
  QUEUE_LIMIT: 100,
  QUEUE_TIMEOUT_MS: LONG_MS,
  EVENT_LOOP_DELAY_MS: 25,
};

const LIMITS = {
  openActions: 10,
  openDrafts: 10,
  openDeliveries: 10,
  registeredWallets: 10,
  watchedWallets: 10,
  actionWatches: 10,
  quoteStreams: 10,
  rateWatches: 10,
  uploadMegabytes: 80,
  sponsoredGasUsd: 10,
  completionGasUsd: 10,
  deploymentGasUsd: 10,
};

const NO_CALLBACKS: GatewayDependencies['rampCallbacks'] = {
  receivePrimaryCallback: () => Promise.resolve(false),
  isSecret: () => false,
  receiveSecondaryCallback: () => Promise.resolve(),
};

/** Starts a gateway on a free port with an in-memory graph, credentials, rate limits and idempotency store. */
export async function startEdge(options: EdgeOptions = {}): Promise<Edge> {
  const log: Record<string, unknown>[] = [];
  const charges: { subject: RateLimitSubject; cost: number }[] = [];
  const fake = createFakeGraph({ ...ROOTS, ...options.roots });
  const logger = pino({ base: null, timestamp: false }, { write: (line: string) => void log.push(JSON.parse(line)) });
  const heavyWork = createHeavyWork({
    config: { ...HEAVY_WORK, ...options.heavyWork },
    log: logger,
    onRefused: (work) => options.metrics?.count('shedRequests', { work }),
    loopDelay: { read: () => 0, stop: () => undefined },
  });
  const server = createGatewayServer({
    config: {
      HOST: '127.0.0.1',
      PORT: 0,
      PUBLIC_URL: undefined,
      TRUSTED_PROXIES: 0,
      CORS_ORIGINS: ['*'],
      GRAPHQL_INTROSPECTION: true,
      QUEUE_TIMEOUT_MS: HEAVY_WORK.QUEUE_TIMEOUT_MS,
      REQUEST_TIMEOUT_MS: LONG_MS,
      SHUTDOWN_DRAIN_MS: 0,
      RATE_LIMIT_PER_MINUTE_UNAUTHENTICATED: 60,
      ...options.config,
    },
    authenticator: options.authenticator ?? fakeAuthenticator(options.revoked ?? (() => false)),
    graph: options.graph ?? fake,
    rateLimiter: fakeRateLimiter(charges, options.limit ?? 1000),
    idempotency: fakeIdempotency(),
    findLimit: options.findLimit ?? ((_, limit) => Promise.resolve(LIMITS[limit])),
    example: DEFAULT_EXAMPLE,
    rampCallbacks: options.rampCallbacks ?? NO_CALLBACKS,
    paymentQrCode: options.paymentQrCode ?? (() => Promise.resolve(undefined)),
    health:
      options.health ?? healthOf({ serving: true, body: { status: 'ok', version: '1', uptimeSeconds: 1, checks: {} } }),
    heavyWork,
    log: logger,
    metrics: options.metrics,
    tracer: options.tracer,
    waitForDrain: options.waitForDrain,
  });
  const url = await server.listen();
  const document = once(() => openApiText((options.graph ?? fake).schema));
  return {
    url,
    log,
    charges,
    heavyWork,
    async fetch(path, init = {}) {
      const response = await fetch(url + path, { ...init, headers: { 'x-api-key': KEY, ...headersOf(init) } });
      await expectDescribedByEdge(response, { method: init.method ?? 'GET', document });
      return response;
    },
    async close() {
      await server.close();
      heavyWork.stop();
    },
  };
}

interface EdgeRequest {
  readonly method: string;
  /** The API description of the graph of the edge. */
  readonly document: () => string;
}

/** Asserts that a JSON response is as the API description of the edge describes it. */
async function expectDescribedByEdge(response: Response, { method, document }: EdgeRequest): Promise<void> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  if (!isJson || new URL(response.url).pathname === '/graphql') return;
  const text = await response.clone().text();
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  expectDescribed({ method, url: response.url, status: response.status, body }, { from: 'edge', document });
}

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};

/** The headers of a request. */
function headersOf({ headers }: RequestInit): Record<string, string> {
  return { ...(headers as Record<string, string> | undefined) };
}

const fakeAuthenticator = (isRevoked: () => boolean): Authenticator => ({
  authenticate({ apiKey, authorization }, accepts) {
    const customerId = (apiKey === OTHER_KEY ? 'other' : 'customer') as CustomerId;
    if (accepts !== 'bearer' && (apiKey === KEY || apiKey === OTHER_KEY) && !isRevoked())
      return Promise.resolve({ kind: 'apiKey', customerId, keyId: 'key' });
    if (accepts !== 'apiKey' && authorization === 'Bearer a.b.c') {
      return Promise.resolve({ kind: 'bearer', customerId, subject: 'someone', role: 'owner' });
    }
    const isAnonymous = apiKey === undefined || accepts === 'bearer';
    const error = isAnonymous ? serviceError('AUTHENTICATION_REQUIRED', { reason: '…' }) : invalidApiKey();
    return Promise.reject(error);
  },
});

export const healthOf = (report: HealthReport): HealthCheck => ({
  report: () => Promise.resolve(report),
  isReady: () => Promise.resolve(report.serving),
});

const fakeRateLimiter = (charges: { subject: RateLimitSubject; cost: number }[], limit: number): RateLimiter => ({
  consume(subject, cost) {
    charges.push({ subject, cost });
    const used = charges
      .filter((charge) => charge.subject.kind === subject.kind)
      .reduce((sum, charge) => sum + charge.cost, 0);
    const window = { name: 'minute', limit, remaining: Math.max(limit - used, 0), resetSeconds: 17 } as const;
    const allowed = used <= limit;
    return Promise.resolve({
      allowed,
      windows: [window],
      ...(allowed ? { retryAfter: undefined, exceeded: undefined } : { retryAfter: 17, exceeded: window }),
      refund() {
        charges.push({ subject, cost: -cost });
        return Promise.resolve();
      },
    });
  },
});

function fakeIdempotency(): IdempotencyStore {
  const calls = new Map<string, { hash: string; response?: StoredResponse }>();
  return {
    lockMs: 60_000,
    begin(request) {
      const { key, requestHash } = request;
      const call = calls.get(key);
      if (call === undefined) {
        calls.set(key, { hash: requestHash.toString('hex') });
        return Promise.resolve({ outcome: 'started', claimed: { ...request, claim: '1' } });
      }
      if (call.hash !== requestHash.toString('hex')) return Promise.resolve({ outcome: 'mismatch' });
      if (call.response === undefined) return Promise.resolve({ outcome: 'running' });
      return Promise.resolve({ outcome: 'replay', response: call.response });
    },
    complete({ key, requestHash }, response) {
      calls.set(key, { hash: requestHash.toString('hex'), response });
      return Promise.resolve();
    },
    abandon({ key }) {
      calls.delete(key);
      return Promise.resolve();
    },
  };
}
