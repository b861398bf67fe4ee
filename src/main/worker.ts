import { randomUUID } from 'node:crypto';
import { cancellableProviders, deliverySources } from '../actions/delivery/delivery-sources';
import { startDeliveries } from '../actions/delivery/start-deliveries';
import { startSolanaTracker } from '../actions/tracker/solana/start-solana-tracker';
import { retryQuarantined } from '../actions/tracker/retry-quarantined';
import { startTrackers } from '../actions/tracker/start-trackers';
import { foldActionCounts } from '../actions/history/fold-action-counts';
import { recountActions } from '../actions/history/recount-actions';
import { expireActions } from '../actions/state/expire-actions';
import { indexedChains } from '../config/indexed-chains';
import { startJobWorker } from '../jobs/start-job-worker';
import { announceWorker } from '../jobs/worker-presence';
import { pollPendingVerifications } from '../kyc/poll-pending-verifications';
import { startLedger } from '../ledger/start-ledger';
import { queryTimeouts } from '../persistence/connection-pool';
import { removeExpired } from '../persistence/retention/remove-expired';
import { downSamplePrices } from '../prices/samples/price-sample-store';
import { samplePrices, type SamplePricesDeps } from '../prices/samples/sample-prices';
import { createHeadReader } from '../rpc/head-reader';
import { createWebhookSealer } from '../persistence/derived-sealer';
import { downSampleWalletValues } from '../snapshots/wallet-values';
import { downSampleMarkets } from '../strategies/market/sample-store';
import { createWebhookSender } from '../webhooks/send-webhook';
import { startWebhooks } from '../webhooks/start-webhooks';
import { releaseSponsoredGas } from '../transactions/execution/user-operation/release-sponsored-gas';
import { assertMayDeploy, openDeployments } from './deployments';
import { identityDeps, rampBrands } from './identity-deps';
import { type Infrastructure } from './infrastructure';
import { collectDeployment } from './metrics/deployment-collectors';
import { countedWebhooks, jobRecorder } from './metrics/recorders';
import { openOrders } from './stocks';
import {
  activateRequestedFees,
  collectProfitFees,
  refreshChain,
  scheduleRefreshes,
  startMarketData,
} from './strategies';
import { continueWalks } from '../strategies/positions/continue-walks';
import { positionDeps } from './positions';
import { isServedBy } from './subgraphs';
import { webhookRenderer } from './webhook-data';

export interface Worker {
  readonly status: () => 'ok' | 'down';
  stop(): Promise<void>;
}

/** Starts what runs without a request: jobs, trackers, the ledger, deliveries, webhooks, deployments and orders. */
export async function startWorker(infrastructure: Infrastructure): Promise<Worker> {
  assertMayDeploy(infrastructure);
  const { config, log, database, pool, rpc, solana, tokens, prices, providers } = infrastructure;
  const sources = deliverySources(providers);
  const [chains, pollMs] = [config.chains.table, config.TRACKER_POLL_MS];
  const isIndexed = indexedChains(config.INDEX_WALLETS);
  const recorder = jobRecorder(infrastructure.telemetry.metrics);
  const queue = { url: config.DATABASE_URL, timeouts: queryTimeouts(config.DATABASE_TIMEOUT_MS) };
  const jobs = await startJobWorker({ ...queue, log, ...recorder }, jobHandlers(infrastructure, sources));
  // Announced for as long as the trackers may settle something.
  const presence = announceWorker({ pool, log, isWorking: () => jobs.status() === 'ok' });
  const heads = createHeadReader({ rpc, maxAgeMs: pollMs / 2 });
  // Trackers and ledger of a chain run in one process: they share its lease, and the reader of its head.
  const replica = { database, rpc, chains, log, heads, pollMs, replicaId: randomUUID() };
  const trackers = startTrackers(replica);
  const solanaReplica = { solana, replicaId: randomUUID() };
  const ledger = startLedger({
    ...replica,
    solanaLedger: solanaReplica,
    watch: { maxWatchedWallets: config.MAX_WATCHED_WALLETS },
    backfillBlocks: config.BACKFILL_BLOCKS,
    isIndexed,
  });
  const solanaTracker = startSolanaTracker({ database, chains, log, pollMs, ...solanaReplica });
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
): Parameters<typeof startJobWorker>[1] {
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
    collectFees: (_, signal) => collectProfitFees(infrastructure, signal),
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
  isServed: isServedBy(config),
});
