import type { Logger } from 'pino';
import { describeFailure } from '../errors/describe-failure';
import type { HealthDeps } from './health';
import { logSubgraphProblems } from './subgraph-states';

/** Logs what a gateway cannot use when it starts, so that the operator need not wait for the first request. */
export async function logDependencyProblems({
  log,
  subgraphs,
  identityProvider,
}: Pick<HealthDeps, 'subgraphs' | 'identityProvider'> & { readonly log: Pick<Logger, 'warn'> }): Promise<void> {
  try {
    logSubgraphProblems(log, (await subgraphs?.()) ?? {});
    if ((await identityProvider?.()) === 'down')
      log.warn('the identity provider does not respond at JWKS_URL. Access tokens are refused with 503 until it does');
  } catch (error) {
    log.warn({ cause: describeFailure(error) }, 'the dependencies could not be checked');
  }
}
