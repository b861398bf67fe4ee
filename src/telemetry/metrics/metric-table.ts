interface MetricDefinition {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds in seconds, of a histogram. */
  readonly buckets?: readonly number[];
  /** Maximum number of combinations of labels; 250 when absent. */
  readonly maxSeries?: number;
}

const REQUEST_SECONDS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const PROVIDER_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 3];
const JOB_SECONDS = [0.05, 0.5, 2, 10, 60];

const ALL_OF_DEPLOYMENT = 'Reported by each worker, for the whole deployment.';

/**
 * All metrics of the service. Values of labels come from sets that the code or the configuration bounds: never a path, a
 * customer, an address, or anything that a caller chooses. Prometheus itself adds the labels `job` and `instance`.
 */
export const METRICS = {
  buildInfo: {
    kind: 'gauge',
    name: 'afluente_build_info',
    help: 'Always 1. Version and role of the process.',
    labels: ['version', 'role'],
  },
  collectorUp: {
    kind: 'gauge',
    name: 'afluente_collector_up',
    help: '0 when a part of this response could not be read and is missing.',
    labels: ['collector'],
  },
  seriesFolded: {
    kind: 'counter',
    name: 'afluente_series_folded_total',
    help: 'Values of a metric that count as "other", because it has too many combinations of labels.',
    labels: ['metric'],
  },

  httpRequest: {
    kind: 'histogram',
    name: 'afluente_http_request_duration_seconds',
    help: 'Requests by route pattern and class of the status; "aborted" when the caller disconnected first. Without event streams.',
    labels: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
    maxSeries: 1000,
  },
  httpStreams: {
    kind: 'counter',
    name: 'afluente_http_event_streams_total',
    help: 'Event streams that have ended, by class of the status.',
    labels: ['status'],
  },
  graphqlOperation: {
    kind: 'histogram',
    name: 'afluente_graphql_operation_duration_seconds',
    help: 'Operations of POST and GET /graphql: ok, partial (data and errors), failed (no data), refused (not executed).',
    labels: ['type', 'outcome'],
    buckets: REQUEST_SECONDS,
  },
  graphqlField: {
    kind: 'counter',
    name: 'afluente_graphql_root_fields_total',
    help: 'Root fields of executed operations, aliases included.',
    labels: ['field'],
  },
  subgraphRequest: {
    kind: 'histogram',
    name: 'afluente_subgraph_request_duration_seconds',
    help: 'Requests of the gateway to its subgraphs, in this process or another one. "failed" without a response, "abandoned" when the caller disconnected.',
    labels: ['subgraph', 'outcome'],
    buckets: REQUEST_SECONDS,
  },
  rateLimited: {
    kind: 'counter',
    name: 'afluente_rate_limit_refusals_total',
    help: 'Requests above a rate limit, of a caller with a credential or of an address.',
    labels: ['subject', 'window'],
  },
  shedRequests: {
    kind: 'counter',
    name: 'afluente_requests_shed_total',
    help: 'Quotes and executions that were refused because of too much work.',
    labels: ['work'],
  },
  heavyWork: {
    kind: 'gauge',
    name: 'afluente_heavy_work',
    help: 'Quotes and executions that run or wait in this process, and the present limit of those that run.',
    labels: ['work', 'state'],
  },

  providerQuotes: {
    kind: 'counter',
    name: 'afluente_provider_quotes_total',
    help: 'Requests for quotes by provider and chain of the input token: offered, no_route, failed.',
    labels: ['provider', 'chain', 'outcome'],
    maxSeries: 1000,
  },
  providerQuoteDuration: {
    kind: 'histogram',
    name: 'afluente_provider_quote_duration_seconds',
    help: 'Time until the result of a provider, whatever it is.',
    labels: ['provider', 'chain'],
    buckets: PROVIDER_SECONDS,
  },
  quotesWon: {
    kind: 'counter',
    name: 'afluente_provider_quotes_won_total',
    help: 'Quotes of a provider that were the best offer of a request.',
    labels: ['provider', 'chain'],
  },
  providerCalls: {
    kind: 'counter',
    name: 'afluente_provider_calls_total',
    help: 'Calls behind a circuit breaker, those of quotes included: ok, rejected (its response), outage, not_called (breaker, cooldown or full queue).',
    labels: ['provider', 'outcome'],
  },
  breakerOpen: {
    kind: 'gauge',
    name: 'afluente_provider_breaker_open',
    help: '1 while a circuit breaker of this process lets no call through. chain: a slug, two as base>polygon, or "all".',
    labels: ['provider', 'chain'],
    maxSeries: 1000,
  },
  uncheckedPixKeys: {
    kind: 'counter',
    name: 'afluente_pix_keys_unchecked_total',
    help: 'Failed lookups of Pix keys that were accepted all the same, by step (price, execution, payout) and reason (server_error, unavailable).',
    labels: ['provider', 'step', 'reason'],
  },

  databaseConnections: {
    kind: 'gauge',
    name: 'afluente_database_connections',
    help: 'Connections of the pool of this process (used, idle), requests that wait for one (waiting), and the maximum (max).',
    labels: ['state'],
  },

  jobRuns: {
    kind: 'histogram',
    name: 'afluente_job_duration_seconds',
    help: 'Runs of background jobs in this process: ok, failed.',
    labels: ['task', 'outcome'],
    buckets: JOB_SECONDS,
  },
  jobsDue: {
    kind: 'gauge',
    name: 'afluente_jobs_due',
    help: `Jobs that wait for a worker. ${ALL_OF_DEPLOYMENT}`,
    labels: ['task'],
  },
  jobsOldestDue: {
    kind: 'gauge',
    name: 'afluente_jobs_oldest_due_seconds',
    help: `Time for which the oldest of them has waited. ${ALL_OF_DEPLOYMENT}`,
    labels: ['task'],
  },
  jobsFailed: {
    kind: 'gauge',
    name: 'afluente_jobs_failed',
    help: `Jobs that failed and are not tried again by themselves. ${ALL_OF_DEPLOYMENT}`,
    labels: ['task'],
  },
  deliveriesOpen: {
    kind: 'gauge',
    name: 'afluente_deliveries_open',
    help: `Transfers of providers that are polled until they arrive. ${ALL_OF_DEPLOYMENT}`,
    labels: ['provider'],
  },
  deliveriesDue: {
    kind: 'gauge',
    name: 'afluente_deliveries_due',
    help: `Those among them whose poll is due and has not begun. ${ALL_OF_DEPLOYMENT}`,
    labels: ['provider'],
  },
  deliveriesOldestDue: {
    kind: 'gauge',
    name: 'afluente_deliveries_oldest_due_seconds',
    help: `Time for which the oldest of them has been due. ${ALL_OF_DEPLOYMENT}`,
    labels: ['provider'],
  },
  webhooksOldestDue: {
    kind: 'gauge',
    name: 'afluente_webhooks_oldest_due_seconds',
    help: `Age of the oldest webhook that could be sent now. ${ALL_OF_DEPLOYMENT}`,
    labels: [],
  },
  webhooks: {
    kind: 'gauge',
    name: 'afluente_webhooks',
    help: `Webhooks that wait for an attempt (waiting) or a replay (parked), and events without a body (failed). ${ALL_OF_DEPLOYMENT}`,
    labels: ['state'],
  },
  webhookAttempts: {
    kind: 'counter',
    name: 'afluente_webhook_attempts_total',
    help: 'Attempts of this process to send a webhook: delivered, failed.',
    labels: ['outcome'],
  },

  trackerLagBlocks: {
    kind: 'gauge',
    name: 'afluente_tracker_lag_blocks',
    help: 'Blocks between the newest one of a chain and the last one its tracker has read. Reported by the worker that reads the chain.',
    labels: ['chain'],
  },
  trackerLagSeconds: {
    kind: 'gauge',
    name: 'afluente_tracker_lag_seconds',
    help: `Time since the tracker of a chain had last read all its blocks; since the start of the worker if it never has. ${ALL_OF_DEPLOYMENT}`,
    labels: ['chain'],
  },
  ledgerLagBlocks: {
    kind: 'gauge',
    name: 'afluente_ledger_lag_blocks',
    help: `Blocks between the newest one and the last one whose token transfers are recorded. ${ALL_OF_DEPLOYMENT}`,
    labels: ['chain'],
  },
  ledgerLagSeconds: {
    kind: 'gauge',
    name: 'afluente_ledger_lag_seconds',
    help: `Age of the newest recorded block of an indexed chain. ${ALL_OF_DEPLOYMENT}`,
    labels: ['chain'],
  },
  ledgerStatus: {
    kind: 'gauge',
    name: 'afluente_ledger_status',
    help: `1 for the present status of an indexed chain, as in /health. ${ALL_OF_DEPLOYMENT}`,
    labels: ['chain', 'status'],
  },
  quarantined: {
    kind: 'gauge',
    name: 'afluente_quarantined_items',
    help: `Items of chains that could not be handled yet. ${ALL_OF_DEPLOYMENT}`,
    labels: ['chain', 'stage'],
  },
  counterDrift: {
    kind: 'gauge',
    name: 'afluente_counter_drift',
    help: `Differences that the last recount of histories found and repaired. ${ALL_OF_DEPLOYMENT}`,
    labels: [],
  },
} as const satisfies Record<string, MetricDefinition>;

export type MetricKey = keyof typeof METRICS;
export type Metric = (typeof METRICS)[MetricKey];
type KeysOfKind<Kind extends MetricDefinition['kind']> = {
  [Key in MetricKey]: (typeof METRICS)[Key]['kind'] extends Kind ? Key : never;
}[MetricKey];

export type CounterKey = KeysOfKind<'counter'>;
export type GaugeKey = KeysOfKind<'gauge'>;
export type HistogramKey = KeysOfKind<'histogram'>;

/** A value for each label of a metric. */
export type LabelsOf<Key extends MetricKey> = Readonly<Record<(typeof METRICS)[Key]['labels'][number], string>>;
