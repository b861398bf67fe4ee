import { createResponseSealer } from '../auth/idempotency/response-sealer';
import { openDatabase } from '../persistence/database';
import { createPersonalDataVault } from '../persistence/personal-data';
import { checkSecretFingerprints } from '../persistence/secret-fingerprints';
import { AdminProblem } from './admin-problem';
import type { AdminDeps } from './command';
import { findDeployment } from './deployment';

/**
 * Opens the database of the deployment that the environment describes. @throws AdminProblem when it does not respond
 */
export async function withDeployment<Result>(
  environment: NodeJS.ProcessEnv,
  work: (deps: AdminDeps) => Promise<Result>,
): Promise<Result> {
  const deployment = findDeployment(environment);
  const { DATABASE_URL, API_KEY_PEPPER, PERSONAL_DATA_KEYS: keys, BLIND_INDEX_KEY: indexKey } = deployment;
  const hasKeys = keys !== undefined && indexKey !== undefined;
  const vault = hasKeys ? createPersonalDataVault({ keys, indexKey: Buffer.from(indexKey, 'hex') }) : undefined;
  const opened = openDatabase({ url: DATABASE_URL, poolSize: 2, log: { warn: () => undefined } });
  try {
    await opened.pool.query('SELECT 1').catch((cause: unknown) => {
      throw new AdminProblem(
        [`The database does not respond: ${reasonOf(cause)}. Check that the service is running.`],
        'failure',
      );
    });
    const responseSealer = createResponseSealer(deployment);
    const secretProblems = () => checkSecretFingerprints(opened, deployment);
    const { database, pool } = opened;
    const stored = { database, pool, retention: deployment };
    return await work({ ...stored, pepper: API_KEY_PEPPER, vault, responseSealer, secretProblems });
  } finally {
    await opened.close();
  }
}

/** A refused connection to a name with several addresses has its reasons in nested errors. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', ');
  return cause instanceof Error ? cause.message : String(cause);
}
