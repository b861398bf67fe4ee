import { Prisma } from '../persistence/client/client';
import { runForService } from '../persistence/customer-scope';
import type { Database } from '../persistence/database';
import type { SmartAccountKey } from './smart-account';

/** How long a user operation has to deploy its account by itself: as long as a quote is valid. */
const RESERVED_SECONDS = 300;

/** Deployments that another customer requested more than this time ago are not held back any more. */
const MAX_AGE_MINUTES = 60;

/**
 * Reserves the deployment of an account for a user operation of the customer, so that the service does not deploy it meanwhile,
 * whichever customers requested that. False while the service deploys it: an operation that deploys it as well would fail.
 */
export async function reserveDeployment(
  { database }: { readonly database: Pick<Database, '$queryRaw'> },
  { customerId, chainId, address }: SmartAccountKey,
): Promise<boolean> {
  const isOpen = Prisma.sql`
    deployment."chainId" = ${chainId} AND deployment.address = ${address} AND deployment.state IN ('WAITING', 'SENDING')`;
  const isBusy = Prisma.sql`(deployment.state = 'SENDING' OR deployment."leasedUntil" > now())`;
  const isHeld = Prisma.sql`(deployment."customerId" = ${customerId}::uuid
    OR deployment."createdAt" > now() - make_interval(mins => ${MAX_AGE_MINUTES}))`;
  const [row] = await runForService(
    'deployments',
    () => database.$queryRaw<[{ readonly isBusy: boolean }]>`
    WITH reserved AS (
      UPDATE "SmartAccountDeployment" AS deployment
         SET "nextAt" = greatest("nextAt", now() + make_interval(secs => ${RESERVED_SECONDS}))
       WHERE ${isOpen} AND ${isHeld} AND NOT coalesce(${isBusy}, false)
      RETURNING "customerId"
    )
    SELECT EXISTS (
      SELECT 1 FROM "SmartAccountDeployment" AS deployment
       WHERE ${isOpen} AND (${isBusy} OR ${isHeld})
         AND NOT EXISTS (SELECT 1 FROM reserved WHERE reserved."customerId" = deployment."customerId")) AS "isBusy"`,
  );
  return !row.isBusy;
}
