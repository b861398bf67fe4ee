import type { Pool } from 'pg';
import type { HealthCheck, HealthReport } from '../../gateway/http/gateway-dependencies';
import type { ConfiguredChains } from '../config/load-chains';
import type { ProviderGuards } from '../venues/provider-guards';
import type { LedgerReport } from '../ledger/ledger-report';
import { ledgerStates } from '../ledger/ledger-states';
import type { QuoteProvider } from '../venues/quote-provider';
import type { Rpc } from '../rpc/rpc';
import { resolveWithin } from '../async/resolve-within';
import type { KeysState } from '../auth/credentials/remote-keys';
import type { CatalogState } from '../strategies/catalog/chain-catalog';
import { readWebhookBacklog } from '../webhooks/backlog';
import { canUseSubgraphs, type SubgraphStates } from './subgraph-states';

/** Time limit of the database check. */
const PROBE_TIMEOUT_MS = 2000;
/** Results are cached for this time after their end, so that health checks do not load the parts that they check. */
const RESULT_TTL_MS = 1000;
/** A report up to this age is returned while a new one is made, so that frequent readers never wait for the nodes. */
const MAX_REPORT_AGE_MS = 5000;

export interface HealthDeps {
  readonly pool: Pick<Pool, 'query'>;
  /** RPC clients, one for each kind of chain. */
  readonly nodes: readonly Pick<Rpc, 'serves' | 'health'>[];
  readonly chains: ConfiguredChains;
  /** Those that are configured. */
  readonly providers: readonly QuoteProvider[];
  readonly guards: ProviderGuards;
  /** The jobs of this process, or those of the deployment: `elsewhere` when another process runs them. */
  readonly jobs: () => JobsStatus | Promise<JobsStatus>;
  /** In a gateway only. */
  readonly subgraphs?: (() => Promise<SubgraphStates>) | undefined;
  /** State of the identity provider; absent without one. */
  readonly identityProvider?: (() => Promise<KeysState>) | undefined;
  /** True for a chain whose token transfers are recorded. */
  readonly isIndexed: (slug: string) => boolean;
  /** The strategies of this process; absent where another process serves them. */
  readonly strategies?: (() => readonly CatalogState[]) | undefined;
  readonly version: string;
}

export type JobsStatus = 'ok' | 'down' | 'elsewhere';

/** Reports on the database, the jobs, subgraphs in other processes, the identity provider, the chains and the providers. */
export function createHealthCheck(deps: HealthDeps): HealthCheck {
  const essentials = shareResult(() => checkEssentials(deps), RESULT_TTL_MS);
  return {
    report: shareResult(() => check(deps, essentials()), MAX_REPORT_AGE_MS),
    isReady: async () => isServing(await essentials()),
  };
}

/**
 * Shares a check while it is pending, and its result for `RESULT_TTL_MS`. While a further check is pending, a result that is
 * at most `maxAgeMs` old is returned.
 */
function shareResult<Result>(check: () => Promise<Result>, maxAgeMs: number): () => Promise<Result> {
  let pending: Promise<Result> | undefined;
  let latest: { readonly result: Promise<Result>; readonly endedAt: number } | undefined;
  const latestWithin = (ageMs: number): Promise<Result> | undefined =>
    latest !== undefined && Date.now() - latest.endedAt <= ageMs ? latest.result : undefined;
  const start = (): Promise<Result> => {
    const result = check();
    const end = (ended: typeof latest): void => {
      latest = ended;
      pending = undefined;
    };
    void result.then(
      () => end({ result, endedAt: Date.now() }),
      () => end(undefined),
    );
    return result;
  };
  return () => {
    const current = latestWithin(RESULT_TTL_MS);
    if (current !== undefined) return current;
    pending ??= start();
    return latestWithin(maxAgeMs) ?? pending;
  };
}

/** What every request of this process needs. */
interface Essentials {
  readonly database: 'ok' | 'down';
  readonly subgraphs: SubgraphStates;
}

async function checkEssentials({ pool, subgraphs: findStates }: HealthDeps): Promise<Essentials> {
  const [database, subgraphs] = await Promise.all([databaseStatus(pool), findStates?.() ?? NO_SUBGRAPHS]);
  return { database, subgraphs };
}

const isServing = ({ database, subgraphs }: Essentials): boolean => database === 'ok' && canUseSubgraphs(subgraphs);

async function check(deps: HealthDeps, pending: Promise<Essentials>): Promise<HealthReport> {
  const { pool, nodes, chains, version } = deps;
  const served = chains.table.all.flatMap(({ slug, chainId }) => {
    const node = nodes.find((candidate) => candidate.serves(chainId));
    return node === undefined ? [] : [{ slug, chainId, node }];
  });
  const [essentials, quarantined, counterDrift, index, webhooks, jobs, identityProvider, ...healths] =
    await Promise.all([
      pending,
      countBy(pool, QUARANTINED),
      countBy(pool, COUNTER_DRIFT),
      ledgerHealth(deps),
      webhookBacklog(pool),
      jobsStatus(deps),
      deps.identityProvider?.() ?? 'not configured',
      ...served.map(async ({ slug, chainId, node }) => [slug, await node.health(chainId)] as const),
    ]);
  const { database, subgraphs } = essentials;
  const strategies = deps.strategies?.() ?? [];
  const states: readonly string[] = [
    database,
    jobs,
    identityProvider,
    ...Object.values(subgraphs),
    ...healths.map(([, { status }]) => status),
    ...Object.values(index).map(({ status }) => status),
    ...strategies.map(({ status }) => status),
  ];
  const isOk = quarantined === 0 && states.every((state) => HEALTHY.has(state));
  return {
    serving: isServing(essentials),
    body: {
      status: isOk ? 'ok' : 'degraded',
      version,
      uptimeSeconds: Math.floor(process.uptime()),
      checks: {
        database,
        jobs,
        ...(deps.subgraphs === undefined ? {} : { subgraphs }),
        ...(deps.identityProvider === undefined ? {} : { identityProvider }),
        chains: Object.fromEntries(healths),
        quarantined,
        counterDrift,
        index,
        webhooks,
        strategies: Object.fromEntries(strategies.map(catalogHealth)),
        providers: providerStates(deps),
      },
    },
  };
}

const NO_SUBGRAPHS: SubgraphStates = {};
const HEALTHY: ReadonlySet<string> = new Set([
  'ok',
  'elsewhere',
  'in process',
  'not configured',
  'unsupported',
  'idle',
  'resolving',
]);

/** The catalog of a chain, by its slug. */
const catalogHealth = ({ chain, status, reason, resolved, refused, waiting }: CatalogState) => [
  chain.slug,
  {
    status,
    ...(reason === undefined ? {} : { reason }),
    strategies: resolved,
    refused: refused.size,
    waiting: waiting.size,
  },
];

/** The ledger of each indexed chain, by its slug. Empty without the database. */
async function ledgerHealth({
  pool,
  chains,
  isIndexed,
  nodes,
}: HealthDeps): Promise<Readonly<Record<string, Omit<LedgerReport, 'chainId'>>>> {
  const states =
    (await resolveWithin(
      ledgerStates(pool).catch(() => []),
      PROBE_TIMEOUT_MS,
    )) ?? [];
  const entries = states.flatMap(({ chainId, ...state }) => {
    const slug = chains.table.byId(chainId)?.slug;
    const isServed = nodes.some((node) => node.serves(chainId));
    return slug !== undefined && isServed && isIndexed(slug) ? [[slug, state] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** A worker that cannot be found in time counts as none. */
async function jobsStatus({ jobs }: HealthDeps): Promise<JobsStatus> {
  const status = Promise.resolve(jobs()).catch(() => 'down' as const);
  return (await resolveWithin(status, PROBE_TIMEOUT_MS)) ?? 'down';
}

/** `registered`, or `cooling down` after repeated failures. */
const providerStates = ({ providers, guards }: HealthDeps): Record<string, string> =>
  Object.fromEntries(
    providers.map(({ id }) => [id, guards.state(id) === 'open' ? 'cooling down' : 'registered'] as const),
  );

/** Items of chains that could not be handled yet. */
const QUARANTINED = 'SELECT count(*)::int AS count FROM "Quarantine"';
/** Differences that the last recounts found and repaired. */
const COUNTER_DRIFT = 'SELECT coalesce(sum(drift), 0)::float8 AS count FROM "CounterDrift"';

/** The column `count` of a statement; `null` while the database does not respond. */
async function countBy(pool: Pick<Pool, 'query'>, statement: string): Promise<number | null> {
  const count = pool.query<{ count: number }>(statement).then(
    ({ rows: [row] }) => row?.count ?? 0,
    () => null,
  );
  return (await resolveWithin(count, PROBE_TIMEOUT_MS)) ?? null;
}

/** `null` while the database does not respond. */
const webhookBacklog = async (pool: Pick<Pool, 'query'>) =>
  (await resolveWithin(
    readWebhookBacklog(pool).catch(() => undefined),
    PROBE_TIMEOUT_MS,
  )) ?? null;

async function databaseStatus(pool: Pick<Pool, 'query'>): Promise<'ok' | 'down'> {
  const status = pool.query('SELECT 1').then(
    () => 'ok' as const,
    () => 'down' as const,
  );
  return (await resolveWithin(status, PROBE_TIMEOUT_MS)) ?? 'down';
}
