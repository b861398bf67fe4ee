import { openDatabase } from '../persistence/database';
import { AdminProblem } from './admin-problem';
import type { AdminDeps } from './command';
import { findDeployment } from './deployment';

/** Lends the database of the deployment that the environment describes. @throws AdminProblem when it does not answer */
export async function withDeployment<Result>(
  environment: NodeJS.ProcessEnv,
  work: (deps: AdminDeps) => Promise<Result>,
): Promise<Result> {
  const { DATABASE_URL, API_KEY_PEPPER } = findDeployment(environment);
  const opened = openDatabase({ url: DATABASE_URL, poolSize: 2, log: { warn: () => undefined } });
  try {
    await opened.pool.query('SELECT 1').catch((cause: unknown) => {
      throw new AdminProblem([`The database does not answer: ${reasonOf(cause)}. Is the service running?`], 'failure');
    });
    return await work({ db: opened.database, pepper: API_KEY_PEPPER });
  } finally {
    await opened.close();
  }
}

/** A refused connection to a name with several addresses has its reasons inside. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', ');
  return cause instanceof Error ? cause.message : String(cause);
}
