import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { serveSubgraph } from '../../gateway/federation/subgraph/serve-subgraph';
import { createGatewayServer } from '../../gateway/http/server';
import { cancellableProviders, deliverySources } from '../actions/delivery/delivery-sources';
import { startDeliveries } from '../actions/delivery/start-deliveries';
import { startSolanaTracker } from '../actions/tracker/solana/start-solana-tracker';
import { retryQuarantined } from '../actions/tracker/retry-quarantined';
import { startTrackers } from '../actions/tracker/start-trackers';
import { expireActions } from '../actions/state/expire-actions';
import { purgeExpired } from '../auth/purge';
import type { Config } from '../config/config';
import { startWorker as startJobs } from '../jobs/start-worker';
import { pollPendingVerifications } from '../kyc/poll-pending-verifications';
import { applyMigrations } from '../persistence/apply-migrations';
import { checkSecretFingerprints } from '../persistence/secret-fingerprints';
import { awaitDatabase } from './await-database';
import { exampleTrade } from './example-trade';
import { openGraph } from './graph';
import { fieldChecks } from './field-checks';
import { createHealthCheck } from './health';
import { identityDeps } from './identity-deps';
import { type Infrastructure, openInfrastructure } from './infrastructure';
import { StartupError } from './startup-error';
import { openPaymentQrCode } from './payment-qr-code';
import { openRampCallbacks } from './ramp-callbacks';
import { createSubgraph } from './subgraphs';
import { VERSION } from './version';
import { type Stop, stopAll } from './stop-all';

export interface Service {
  /** Base URL; `undefined` for a process that only runs jobs. */
  readonly url: string | undefined;
  /** Resolves when running work has ended and all parts are stopped. */
  stop(): Promise<void>;
}

/** Starts the configured role. @throws StartupError */
export async function startService(config: Config, log: Logger): Promise<Service> {
  await awaitDatabase({ url: config.DATABASE_URL, log });
  await applyMigrations({ url: config.DATABASE_URL, log });
  const infrastructure = openInfrastructure(config, log);
  const stops: Stop[] = [() => infrastructure.close()];
  try {
    const problems = await checkSecretFingerprints(infrastructure, config);
    if (problems.length > 0) throw new StartupError(problems.join('\n'));
    const url = await startRole(infrastructure, stops);
    return { url, stop: () => stopAll(stops) };
  } catch (error) {
    await stopAll(stops);
    throw error;
  }
}

/** Starts the parts of a role and adds the function that stops each to `stops`. */
async function startRole(infrastructure: Infrastructure, stops: Stop[]): Promise<string | undefined> {
  const { ROLE } = infrastructure.config;
  const works = ROLE === 'all' || ROLE === 'worker';
  const worker = works ? await startWorker(infrastructure) : undefined;
  if (worker !== undefined) stops.push(() => worker.stop());
  if (ROLE === 'worker') return undefined;
  const served = ROLE === 'subgraph' ? await startSubgraph(infrastructure) : await startGateway(infrastructure, worker);
  stops.push(() => served.close());
  return served.url;
}

interface Worker {
  readonly status: () => 'ok' | 'down';
  stop(): Promise<void>;
}

async function startWorker(infrastructure: Infrastructure): Promise<Worker> {
  const { config, log, database, pool, rpc, solana, tokens, prices, providers } = infrastructure;
  const sources = deliverySources(providers);
  const cancellable = cancellableProviders(sources);
  const jobs = await startJobs(
    { url: config.DATABASE_URL, log },
    {
      expireActions: () => expireActions({ database, cancellableProviders: cancellable }),
      purgeExpired: () => purgeExpired({ pool }),
      retryQuarantined: (_, signal) => retryQuarantined({ database, rpc, log }, signal),
      refreshPendingVerifications: (_, signal) => pollPendingVerifications(identityDeps(infrastructure), signal),
    },
  );
  const chains = config.chains.table;
  const trackers = startTrackers({ database, rpc, chains, log, pollMs: config.TRACKER_POLL_MS });
  const solanaTracker = startSolanaTracker({
    database,
    solana,
    chains,
    log,
    replicaId: randomUUID(),
    pollMs: config.TRACKER_POLL_MS,
  });
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
  });
  return {
    status: () => jobs.status(),
    async stop() {
      await Promise.all([jobs.stop(), trackers.stop(), solanaTracker.stop(), deliveries.stop()]);
    },
  };
}

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
  return serveSubgraph({ schema, internalSecret: INTERNAL_SECRET, host: HOST, port: PORT, log, ...times });
}

/** Starts the gateway server. */
export async function startGateway(infrastructure: Infrastructure, worker?: Worker): Promise<Served> {
  const { config, log, access, pool, rpc, solana, providers, unregistered, guards } = infrastructure;
  const { authenticator, rateLimiter, idempotency } = access;
  const graph = await openGraph(infrastructure);
  const { chains } = config;
  const jobs = worker?.status;
  const registered = { providers, unregistered, guards };
  const health = createHealthCheck({ pool, nodes: [rpc, solana], chains, ...registered, jobs, version: VERSION });
  const example = exampleTrade(chains);
  const [rampCallbacks, paymentQrCode] = [openRampCallbacks(infrastructure), openPaymentQrCode(infrastructure)];
  const edge = { config, graph, authenticator, rateLimiter, idempotency, health, example, log };
  const server = createGatewayServer({ ...edge, rampCallbacks, paymentQrCode, fieldChecks: fieldChecks(config) });
  const url = await server.listen();
  rampCallbacks.subscribe(config.PUBLIC_URL ?? url);
  return {
    url: config.PUBLIC_URL ?? url,
    async close() {
      await server.close();
      await rampCallbacks.stop();
      await graph.close();
    },
  };
}
