import type { Database } from '../persistence/database';
import type { SmartAccountKey } from './smart-account';

/** How long a user operation has to deploy its account by itself: as long as a quote is valid. */
const RESERVED_SECONDS = 300;

/**
 * Reserves the deployment of an account for a user operation of the customer, so that the service does not deploy it meanwhile.
 * False while the service deploys it: an operation that deploys it as well would fail.
 */
export async function reserveDeployment(
  { database }: { readonly database: Pick<Database, '$queryRaw'> },
  { customerId, chainId, address }: SmartAccountKey,
): Promise<boolean> {
  const rows = await database.$queryRaw<{ readonly isBusy: boolean }[]>`
    WITH reserved AS (
      UPDATE "SmartAccountDeployment"
         SET "nextAt" = greatest("nextAt", now() + make_interval(secs => ${RESERVED_SECONDS}))
       WHERE "customerId" = ${customerId}::uuid AND "chainId" = ${chainId} AND address = ${address}
         AND state = 'WAITING' AND ("leasedUntil" IS NULL OR "leasedUntil" <= now())
      RETURNING 1
    )
    SELECT state IN ('WAITING', 'SENDING') AND NOT EXISTS (SELECT 1 FROM reserved) AS "isBusy"
      FROM "SmartAccountDeployment"
     WHERE "customerId" = ${customerId}::uuid AND "chainId" = ${chainId} AND address = ${address}`;
  return rows[0]?.isBusy !== true;
}
