import type { Pool } from 'pg';
import { readDeliveryBacklog } from '../../actions/delivery/delivery-backlog';
import { readQuarantined, readTrackerStates, type TrackerState } from '../../actions/tracker/tracker-states';
import type { ChainTable } from '../../chains/chain-table';
import { readJobBacklog } from '../../jobs/job-backlog';
import { ledgerStates } from '../../ledger/ledger-states';
import { readCounterDrift } from '../../actions/history/counter-drift';
import { runForService } from '../../persistence/customer-scope';
import type { HeadReader } from '../../rpc/head-reader';
import type { Collector, GaugeSample, Metrics } from '../../telemetry/metrics/metrics';
import { readWaitingWebhooks, readWebhookBacklog } from '../../webhooks/backlog';
import { chainLabel } from './process-collectors';
import { createTrackerLag } from './tracker-lag';

export interface DeploymentCollectorsDeps {
  readonly pool: Pick<Pool, 'query'>;
  readonly chains: ChainTable;
  /** Heads of the chains that this process follows. */
  readonly heads: Pick<HeadReader, 'latest'>;
  /** The trackers read the chains that one of them serves. */
  readonly nodes: readonly { readonly serves: (chainId: number) => boolean }[];
  /** True for a chain whose token transfers are recorded. */
  readonly isIndexed: (slug: string) => boolean;
}

/** Each of these statements may count thousands of rows: they are not repeated for each scraper. */
const MAX_AGE_MS = 5000;

/** Gauges of the whole deployment, which workers read from the database. */
export function collectDeployment(metrics: Metrics, deps: DeploymentCollectorsDeps): void {
  const collectors = [jobs(deps), deliveries(deps), webhooks(deps), trackers(deps), ledgers(deps), quarantine(deps)];
  for (const collector of [...collectors, drift(deps)]) {
    const read = () => runForService('metrics', () => collector.read());
    metrics.collect({ ...collector, read, maxAgeMs: MAX_AGE_MS });
  }
}

const jobs = ({ pool }: DeploymentCollectorsDeps): Collector => ({
  name: 'jobs',
  gauges: ['jobsDue', 'jobsOldestDue', 'jobsFailed'],
  read: async () =>
    (await readJobBacklog(pool)).flatMap(({ job, due, oldestDueSeconds, failed }): GaugeSample[] => [
      ['jobsDue', { task: job }, due],
      ['jobsOldestDue', { task: job }, oldestDueSeconds],
      ['jobsFailed', { task: job }, failed],
    ]),
});

const deliveries = ({ pool }: DeploymentCollectorsDeps): Collector => ({
  name: 'deliveries',
  gauges: ['deliveriesOpen', 'deliveriesDue', 'deliveriesOldestDue'],
  read: async () =>
    (await readDeliveryBacklog(pool)).flatMap(({ provider, open, due, oldestDueSeconds }): GaugeSample[] => [
      ['deliveriesOpen', { provider }, open],
      ['deliveriesDue', { provider }, due],
      ['deliveriesOldestDue', { provider }, oldestDueSeconds],
    ]),
});

const webhooks = ({ pool }: DeploymentCollectorsDeps): Collector => ({
  name: 'webhooks',
  gauges: ['webhooks', 'webhooksOldestDue'],
  async read() {
    const [backlog, waiting] = await Promise.all([readWebhookBacklog(pool), readWaitingWebhooks(pool)]);
    if (backlog === undefined) return [];
    return [
      ['webhooksOldestDue', {}, backlog.oldestDueSeconds],
      ['webhooks', { state: 'waiting' }, waiting],
      ['webhooks', { state: 'parked' }, backlog.parked],
      ['webhooks', { state: 'failed' }, backlog.failed],
    ];
  },
});

/** A chain whose tracker has not begun. */
const NEVER_READ = { blockNumber: null, lagSeconds: null };

function trackers({ pool, chains, heads, nodes }: DeploymentCollectorsDeps): Collector {
  const lagOf = createTrackerLag();
  const samplesOf = ({ chainId, blockNumber, lagSeconds }: TrackerState): GaugeSample[] => {
    const chain = chainLabel(chains, chainId);
    const head = heads.latest(chainId);
    // Always, so that the alert sees a tracker that has never worked.
    const lag: GaugeSample = ['trackerLagSeconds', { chain }, lagOf(chainId, lagSeconds)];
    if (blockNumber === null || head === undefined) return [lag];
    const blocks = Number.parseInt(head.number.toString(), 10) - blockNumber;
    return [lag, ['trackerLagBlocks', { chain }, Math.max(0, blocks)]];
  };
  return {
    name: 'trackers',
    gauges: ['trackerLagBlocks', 'trackerLagSeconds'],
    async read() {
      const states = new Map((await readTrackerStates(pool)).map((state) => [state.chainId, state]));
      // The row of a chain that is no longer served stays, and nothing advances it.
      const served = chains.all.filter(({ chainId }) => nodes.some((node) => node.serves(chainId)));
      return served.flatMap(({ chainId }) => samplesOf(states.get(chainId) ?? { chainId, ...NEVER_READ }));
    },
  };
}

const ledgers = ({ pool, chains, isIndexed }: DeploymentCollectorsDeps): Collector => ({
  name: 'ledgers',
  gauges: ['ledgerLagBlocks', 'ledgerLagSeconds', 'ledgerStatus'],
  async read() {
    const indexed = (await ledgerStates(pool)).filter(({ chainId }) => isIndexed(chainLabel(chains, chainId)));
    return indexed.flatMap(({ chainId, lagBlocks, lagSeconds, status }): GaugeSample[] => {
      const chain = chainLabel(chains, chainId);
      const state: GaugeSample = ['ledgerStatus', { chain, status }, 1];
      // A chain that is not read on purpose has no lag.
      if (status === 'idle' || status === 'unsupported') return [state];
      return [state, ['ledgerLagBlocks', { chain }, lagBlocks], ['ledgerLagSeconds', { chain }, lagSeconds]];
    });
  },
});

const quarantine = ({ pool, chains }: DeploymentCollectorsDeps): Collector => ({
  name: 'quarantine',
  gauges: ['quarantined'],
  read: async () =>
    (await readQuarantined(pool)).map(({ chainId, stage, count }): GaugeSample => [
      'quarantined',
      { chain: chainLabel(chains, chainId), stage },
      count,
    ]),
});

const drift = ({ pool }: DeploymentCollectorsDeps): Collector => ({
  name: 'drift',
  gauges: ['counterDrift'],
  read: async () => [['counterDrift', {}, await readCounterDrift(pool)]],
});
