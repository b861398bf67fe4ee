import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { createHeavyWork } from '../../gateway/edge/overload/heavy-work';
import { serveSubgraph, type SubgraphServerOptions } from '../../gateway/federation/subgraph/serve-subgraph';
import { serveHealth } from '../../gateway/http/health-server';
import { mountHealthRoutes } from '../../gateway/http/health-routes';
import { measureRequests } from '../../gateway/http/request-metrics';
import { createGatewayServer } from '../../gateway/http/server';
import { cancellableProviders, deliverySources } from '../actions/delivery/delivery-sources';
import { startDeliveries } from '../actions/delivery/start-deliveries';
import { startSolanaTracker } from '../actions/tracker/solana/start-solana-tracker';
import { retryQuarantined } from '../actions/tracker/retry-quarantined';
import { startTrackers } from '../actions/tracker/start-trackers';
import { foldActionCounts } from '../actions/history/fold-action-counts';
import { recountActions } from '../actions/history/recount-actions';
import { expireActions } from '../actions/state/expire-actions';
import type { Config } from '../config/config';
import { indexedChains } from '../config/indexed-chains';
import { startWorker as startJobs } from '../jobs/start-worker';
import { announceWorker } from '../jobs/worker-presence';
import { pollPendingVerifications } from '../kyc/poll-pending-verifications';
import { startLedger } from '../ledger/start-ledger';
import { applyMigrations } from '../persistence/apply-migrations';
import { removeExpired } from '../persistence/retention/remove-expired';
import { checkSecretFingerprints } from '../persistence/secret-fingerprints';
import { downSamplePrices } from '../prices/samples/price-sample-store';
import { samplePrices, type SamplePricesDeps } from '../prices/samples/sample-prices';
import { createHeadReader } from '../rpc/head-reader';
import { createWebhookSealer } from '../persistence/derived-sealer';
import { downSampleWalletValues } from '../snapshots/wallet-values';
import { downSampleMarkets } from '../strategies/market/sample-store';
import { createWebhookSender } from '../webhooks/send-webhook';
import { startWebhooks } from '../webhooks/start-webhooks';
import { releaseSponsoredGas } from '../transactions/execution/user-operation/release-sponsored-gas';
import { awaitDatabase } from './await-database';
import { assertMayDeploy, openDeployments } from './deployments';
import { exampleValues } from './example-values';
import { openGraph } from './graph';
import { fieldChecks } from './field-checks';
import { openOrderProblems } from './open-stocks';
import { strategyProblems } from './open-strategies';
import { openHealth } from './open-health';
import { identityDeps, rampBrands } from './identity-deps';
import { type Infrastructure, openInfrastructure } from './infrastructure';
import { logDependencyProblems } from './log-dependency-problems';
import { collectDeployment } from './metrics/deployment-collectors';
import { collectHeavyWork } from './metrics/process-collectors';
import { countedWebhooks, jobRecorder } from './metrics/recorders';
import { NO_OPEN_TELEMETRY, type OpenTelemetry } from './open-telemetry';
import { StartupError } from './startup-error';
import { openPaymentQrCode } from './payment-qr-code';
import { openRampCallbacks } from './ramp-callbacks';
import { openOrders } from './stocks';
import { activateRequestedFees, refreshChain, scheduleRefreshes, startMarketData } from './strategies';
import { continueWalks } from '../strategies/positions/continue-walks';
import { positionDeps } from './positions';
import { isServed, createSubgraph } from './subgraphs';
import { type Stop, stopAll } from './stop-all';
import { webhookRenderer } from './webhook-data';

export interface Service {
  /** Base URL. A worker serves the health routes alone. */
  readonly url: string;
  /** Resolves when running work has ended and all parts are stopped. */
  stop(): Promise<void>;
}

/** Starts the configured role. @throws StartupError */
export async function startService(
  config: Config,
  log: Logger,
  telemetry: OpenTelemetry = NO_OPEN_TELEMETRY,
): Promise<Service> {
  const contradictions = strategyProblems(config);
  if (contradictions.length > 0) throw new StartupError(contradictions.join('\n'));
  await awaitDatabase({ url: config.DATABASE_URL, log });
  await applyMigrations({ url: config.DATABASE_URL, log });
  const infrastructure = openInfrastructure(config, log, telemetry);
  const stops: Stop[] = [() => telemetry.close(), () => infrastructure.close()];
  try {
    await telemetry.serve(infrastructure);
    const problems = [
      ...(await checkSecretFingerprints(infrastructure, config)),
      ...(await openOrderProblems(infrastructure.database, config)),
    ];
    if (problems.length > 0) throw new StartupError(problems.join('\n'));
    const url = await startRole(infrastructure, stops);
    return { url, stop: () => stopAll(stops) };
  } catch (error) {
    await stopAll(stops);
    throw error;
  }
}

/** Starts the parts of a role and adds the function that stops each to `stops`. */
async function startRole(infrastructure: Infrastructure, stops: Stop[]): Promise<string> {
  const { ROLE } = infrastructure.config;
  const works = ROLE === 'all' || ROLE === 'worker';
  const worker = works ? await startWorker(infrastructure) : undefined;
  if (worker !== undefined) stops.push(() => worker.stop());
  const served = await listening(infrastructure, () => startServer(infrastructure, worker));
  stops.push(() => served.close());
  return served.url;
}

function startServer(infrastructure: Infrastructure, worker: Worker | undefined): Promise<Served> {
  const { ROLE, HOST: host, PORT: port } = infrastructure.config;
  if (ROLE === 'subgraph') return startSubgraph(infrastructure);
  if (ROLE !== 'worker') return startGateway(infrastructure, worker);
  // No load balancer sends requests to a worker: it needs no drain.
  return serveHealth({ host, port, health: openHealth(infrastructure, { jobs: worker?.status }), drainMs: 0 });
}

/** @throws StartupError when the port is in use */
async function listening({ config: { HOST, PORT } }: Infrastructure, start: () => Promise<Served>): Promise<Served> {
  try {
    return await start();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new StartupError(`Port ${String(PORT)} of ${HOST} is already in use. Set PORT to a free one.`);
  }
}

interface Worker {
  readonly status: () => 'ok' | 'down';
  stop(): Promise<void>;
}

async function startWorker(infrastructure: Infrastructure): Promise<Worker> {
  assertMayDeploy(infrastructure);
  const { config, log, database, pool, rpc, solana, tokens, prices, providers } = infrastructure;
  const sources = deliverySources(providers);
  const [chains, pollMs] = [config.chains.table, config.TRACKER_POLL_MS];
  const isIndexed = indexedChains(config.INDEX_WALLETS);
  const recorder = jobRecorder(infrastructure.telemetry.metrics);
  const jobs = await startJobs({ url: config.DATABASE_URL, log, ...recorder }, jobHandlers(infrastructure, sources));
  // Announced for as long as the trackers may settle something.
  const presence = announceWorker({ pool, log, isWorking: () => jobs.status() === 'ok' });
  const heads = createHeadReader({ rpc, maxAgeMs: pollMs / 2 });
  // Trackers and ledger of a chain run in one process: they share its lease, and the reader of its head.
  const replica = { database, rpc, chains, log, heads, pollMs, replicaId: randomUUID() };
  const trackers = startTrackers(replica);
  const ledger = startLedger({
    ...replica,
    watch: { maxWatchedWallets: config.MAX_WATCHED_WALLETS },
    backfillBlocks: config.BACKFILL_BLOCKS,
    isIndexed,
  });
  const solanaTracker = startSolanaTracker({ database, solana, chains, log, replicaId: randomUUID(), pollMs });
  const deliveries = startDeliveries({
    database,
    rpc,
    solana,
    chains,
    log,
    tokens,
    prices,
    pollMs: config.DELIVERY_POLL_MS,
    sources,
    serviceWallet: infrastructure.serviceWallet,
    minCompletionUsd: config.COMPLETION_MIN_USD,
    maxCompletionCostShare: config.COMPLETION_MAX_COST_SHARE,
  });
  const webhooks = startWebhooks(webhookDeps(infrastructure));
  const byRows = [openDeployments(infrastructure), openOrders(infrastructure)];
  startMarketData(infrastructure);
  const { metrics } = infrastructure.telemetry;
  if (metrics !== undefined) collectDeployment(metrics, { pool, chains, heads, isIndexed, nodes: [rpc, solana] });
  return {
    status: () => jobs.status(),
    async stop() {
      try {
        // Before the trackers, which release the leases.
        await ledger.stop();
        const parts = [jobs, trackers, solanaTracker, deliveries, webhooks];
        await Promise.all([...parts, ...byRows].map(async (part) => part?.stop()));
      } finally {
        await presence.stop();
      }
    },
  };
}

/** The work of each kind of job. */
function jobHandlers(
  infrastructure: Infrastructure,
  sources: ReturnType<typeof deliverySources>,
): Parameters<typeof startJobs>[1] {
  const { config, log, database, pool, rpc } = infrastructure;
  const chains = config.chains.table;
  const cancellable = cancellableProviders(sources);
  return {
    expireActions: () => expireActions({ database, cancellableProviders: cancellable }),
    purgeExpired: (_, signal) => removeExpired({ pool, settings: config, log }, signal),
    foldActionCounts: (_, signal) => foldActionCounts({ pool }, signal),
    recountActions: (_, signal) => recountActions({ database, log }, signal),
    samplePrices: (_, signal) => samplePrices(sampling(infrastructure), signal),
    downSamplePrices: (_, signal) => downSamplePrices({ pool }, signal),
    downSampleWalletValues: (_, signal) => downSampleWalletValues({ pool }, signal),
    activateFees: (_, signal) => activateRequestedFees(infrastructure, signal),
    scheduleMarketRefreshes: () => scheduleRefreshes(infrastructure),
    refreshMarkets: ({ chainId }, signal) => refreshChain(infrastructure, chainId, signal),
    downSampleMarkets: (_, signal) => downSampleMarkets({ pool }, signal),
    walkPositions: (_, signal) => continueWalks(positionDeps(infrastructure), signal),
    releaseSponsoredGas: (_, signal) => releaseSponsoredGas({ database, rpc, log, chains }, signal),
    retryQuarantined: (_, signal) => retryQuarantined({ database, rpc, log }, signal),
    refreshPendingVerifications: (_, signal) => pollPendingVerifications(identityDeps(infrastructure), signal),
  };
}

const webhookDeps = ({ config, database, log, telemetry }: Infrastructure): Parameters<typeof startWebhooks>[0] => ({
  database,
  log,
  sealer: createWebhookSealer(config),
  render: webhookRenderer({ chains: config.chains.table, brands: rampBrands(config) }),
  send: countedWebhooks(telemetry.metrics, createWebhookSender({ allowLoopback: config.ALLOW_LOOPBACK_URLS })),
});

const sampling = ({ config, pool, tokenPrices, log }: Infrastructure): SamplePricesDeps => ({
  pool,
  log,
  chains: config.chains.table,
  prices: tokenPrices,
  isServed: isServed(config),
});

interface Served {
  readonly url: string;
  close(): Promise<void>;
}

async function startSubgraph(infrastructure: Infrastructure): Promise<Served> {
  const { SUBGRAPH, INTERNAL_SECRET, HOST, PORT, SHUTDOWN_DRAIN_MS, SUBGRAPH_TIMEOUT_MS } = infrastructure.config;
  if (SUBGRAPH === undefined || INTERNAL_SECRET === undefined) {
    throw new StartupError('The role "subgraph" requires SUBGRAPH and INTERNAL_SECRET.');
  }
  const { schema } = createSubgraph(SUBGRAPH, infrastructure);
  const { log } = infrastructure;
  const times = { drainMs: SHUTDOWN_DRAIN_MS, limitMs: SUBGRAPH_TIMEOUT_MS };
  const health = openHealth(infrastructure, {});
  const { metrics, tracer } = infrastructure.telemetry;
  const mount: SubgraphServerOptions['mount'] = (app, isOpen) => {
    if (metrics !== undefined) measureRequests(app, metrics);
    mountHealthRoutes(app, health, isOpen);
  };
  return serveSubgraph({
    schema,
    internalSecret: INTERNAL_SECRET,
    host: HOST,
    port: PORT,
    log,
    tracer,
    mount,
    ...times,
  });
}

/** Starts the gateway server. */
export async function startGateway(infrastructure: Infrastructure, worker?: Worker): Promise<Served> {
  const { config, log, access } = infrastructure;
  const { authenticator, rateLimiter, idempotency, findLimit, identityProviderState: identityProvider } = access;
  const { graph, subgraphStates: subgraphs } = await openGraph(infrastructure);
  const health = openHealth(infrastructure, { jobs: worker?.status, subgraphs, identityProvider });
  const example = exampleValues(config);
  const [rampCallbacks, paymentQrCode] = [openRampCallbacks(infrastructure), openPaymentQrCode(infrastructure)];
  const { metrics, tracer } = infrastructure.telemetry;
  const onRefused = metrics && ((work: string) => metrics.count('shedRequests', { work }));
  const heavyWork = createHeavyWork({ config, log, onRefused });
  if (metrics !== undefined) collectHeavyWork(metrics, heavyWork);
  const edge = {
    config,
    graph,
    authenticator,
    rateLimiter,
    idempotency,
    findLimit,
    heavyWork,
    health,
    example,
    log,
    metrics,
  };
  const server = createGatewayServer({
    ...edge,
    rampCallbacks,
    paymentQrCode,
    fieldChecks: fieldChecks(config),
    tracer,
  });
  const url = await server.listen();
  rampCallbacks.subscribe(config.PUBLIC_URL ?? url);
  void logDependencyProblems({ log, subgraphs, identityProvider });
  return {
    url: config.PUBLIC_URL ?? url,
    async close() {
      await server.close();
      heavyWork.stop();
      await rampCallbacks.stop();
      await graph.close();
    },
  };
}
