import { createResponseSealer } from '../auth/idempotency/response-sealer';
import { applyMigrations } from '../persistence/apply-migrations';
import { openDatabase } from '../persistence/database';
import { createWebhookSealer } from '../persistence/derived-sealer';
import { createPersonalDataVault } from '../persistence/personal-data';
import { checkSecretFingerprints } from '../persistence/secret-fingerprints';
import { AdminProblem } from './admin-problem';
import type { AdminDeps } from './command';
import { type Deployment, findDeployment } from './deployment';

const silent = { info: () => undefined, warn: () => undefined };

/**
 * Opens the database of the deployment that the environment describes. An empty one is migrated first, so that commands work
 * before and during the first start of the service.
 *
 * @throws AdminProblem when it cannot be used; MigrationError
 */
export async function withDeployment<Result>(
  environment: NodeJS.ProcessEnv,
  work: (deps: AdminDeps) => Promise<Result>,
): Promise<Result> {
  const deployment = findDeployment(environment);
  const { DATABASE_URL, API_KEY_PEPPER, PERSONAL_DATA_KEYS: keys, BLIND_INDEX_KEY: indexKey } = deployment;
  const hasKeys = keys !== undefined && indexKey !== undefined;
  const vault = hasKeys ? createPersonalDataVault({ keys, indexKey: Buffer.from(indexKey, 'hex') }) : undefined;
  const opened = openDatabase({ url: DATABASE_URL, poolSize: 2, log: silent });
  try {
    await opened.pool.query('SELECT 1').catch((cause: unknown) => {
      throw new AdminProblem([unreachable(deployment, cause)], 'failure');
    });
    await applyMigrations({ url: DATABASE_URL, log: silent, onlyWhenEmpty: true });
    const responseSealer = createResponseSealer(deployment);
    const webhookSealer = createWebhookSealer(deployment);
    const secretProblems = () => checkSecretFingerprints(opened, deployment);
    const { database, pool } = opened;
    const stored = { database, pool, retention: deployment };
    return await work({ ...stored, pepper: API_KEY_PEPPER, vault, responseSealer, webhookSealer, secretProblems });
  } finally {
    await opened.close();
  }
}

function unreachable({ DATABASE_URL, isEmbedded }: Deployment, cause: unknown): string {
  const { host, pathname } = new URL(DATABASE_URL);
  const place = `${host}${pathname}`;
  const reason = `cannot be used: ${reasonOf(cause)}`;
  return isEmbedded
    ? `The embedded database at ${place} ${reason}. Start the service with npm start.`
    : `The database at ${place} (DATABASE_URL) ${reason}. ` +
        'Start PostgreSQL, or correct DATABASE_URL in the environment or in the file .env.';
}

/** A refused connection to a name with several addresses has its reasons in nested errors. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', ');
  return cause instanceof Error ? cause.message : String(cause);
}
