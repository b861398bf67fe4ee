import { serviceError } from '../../errors/service-error';
import { isOlderWorkerPresent, WORKER_REVISIONS } from '../../jobs/worker-presence';
import type { Database } from '../../persistence/database';

/** The operations that are refused while the service is being updated. */
const REFUSED: Readonly<Record<keyof typeof WORKER_REVISIONS, string>> = {
  transfersWithinActions: 'deposits from another chain and withdrawals to one',
  feesOfWithdrawals: 'withdrawals with a fee on their profit',
  claims: 'claims of rewards',
  requests: 'requests of deposits and withdrawals, and their claims',
  routedContinuations: 'deposits of tokens that have arrived from another chain',
};

/**
 * Refuses an operation while a worker of an earlier version runs, because it would settle the operation wrongly.
 *
 * @throws LENDING_SERVICE_UNAVAILABLE
 */
export async function assertWorkersSupport(
  database: Pick<Database, '$queryRaw'>,
  feature: keyof typeof WORKER_REVISIONS,
): Promise<void> {
  if (!(await isOlderWorkerPresent(database, WORKER_REVISIONS[feature]))) return;
  const reason = `the service is being updated: ${REFUSED[feature]} are possible again shortly`;
  throw serviceError('LENDING_SERVICE_UNAVAILABLE', {}, { details: { reason } });
}
