import type { Pool } from 'pg';
import type { HealthCheck } from '../../gateway/http/gateway-dependencies';
import { indexedChains } from '../config/indexed-chains';
import { runForService } from '../persistence/customer-scope';
import { isWorkerPresent } from '../jobs/worker-presence';
import { createHealthCheck, type HealthDeps, type JobsStatus } from './health';
import type { Infrastructure } from './infrastructure';
import { VERSION } from '../config/version';

/** Parts of the report that only some roles have. `jobs`: those of this process. */
type OwnParts = Pick<HealthDeps, 'subgraphs' | 'identityProvider'> & { readonly jobs?: HealthDeps['jobs'] | undefined };

/**
 * The health report of a process. A process without jobs reports whether another one runs them. The first report is made at
 * once, so that nodes of other chains are logged at start-up.
 */
export function openHealth(
  { config, pool: scoped, rpc, solana, bitcoin, providers, unconfigured, guards, strategies }: Infrastructure,
  { jobs, subgraphs, identityProvider }: OwnParts,
): HealthCheck {
  const query = ((...parameters: Parameters<Pool['query']>) =>
    runForService('health', () => scoped.query(...parameters))) as unknown as Pool['query'];
  const pool = { query };
  const elsewhere = async (): Promise<JobsStatus> => ((await isWorkerPresent(pool)) ? 'elsewhere' : 'down');
  const health = createHealthCheck({
    pool,
    nodes: [rpc, solana, bitcoin],
    chains: config.chains,
    providers: providers.filter(({ id }) => !unconfigured.has(id)),
    guards,
    jobs: jobs ?? elsewhere,
    subgraphs,
    identityProvider,
    isIndexed: indexedChains(config.INDEX_WALLETS),
    strategies: () => strategies.states(),
    version: VERSION,
  });
  void health.report();
  return health;
}
