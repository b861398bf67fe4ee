import { z } from 'zod';
import type { Address } from 'viem';
import type { CustomerId } from '../../auth/principal';
import { Prisma } from '../../persistence/client/client';
import type { Database, Transaction } from '../../persistence/database';

/** How long a claimed deployment is reserved for one replica: longer than an attempt may take. */
const LEASE_SECONDS = 60;

const claimedRow = z.object({
  customerId: z.string().transform((id) => id as CustomerId),
  chainId: z.bigint().transform((id) => Number.parseInt(id.toString(), 10)),
  address: z.string().transform((address) => address as Address),
  owner: z.string().transform((owner) => owner as Address),
  actionId: z.string(),
  state: z.enum(['WAITING', 'SENDING']),
  failures: z.int(),
  lastFailure: z.string().nullable(),
  /** Status of the action. */
  actionStatus: z.string(),
  /** True when its time is over. */
  isLate: z.boolean(),
  /** Milliseconds since the request. */
  ageMs: z.number(),
  fencingToken: z.bigint(),
});

/** A deployment that one replica may carry on until its lease ends. */
export type ClaimedDeployment = z.infer<typeof claimedRow>;

/**
 * Leases due deployments, each to one replica: the longest due of each customer first, then the second of each. What runs for a
 * customer counts as its turns, so that the number of its deployments does not delay those of others.
 */
export async function claimDeployments(
  { database }: { readonly database: Pick<Database, '$queryRaw'> },
  limit: number,
): Promise<readonly ClaimedDeployment[]> {
  if (limit <= 0) return [];
  const rows = await database.$queryRaw<unknown[]>`
    WITH RECURSIVE customers AS (
      (SELECT "customerId" FROM "SmartAccountDeployment" WHERE state IN ('WAITING', 'SENDING')
        ORDER BY "customerId" LIMIT 1)
      UNION ALL
      SELECT (SELECT "customerId" FROM "SmartAccountDeployment"
               WHERE state IN ('WAITING', 'SENDING') AND "customerId" > customers."customerId"
               ORDER BY "customerId" LIMIT 1)
        FROM customers WHERE customers."customerId" IS NOT NULL
    ), ranked AS (
      SELECT due.*, busy.count + row_number() OVER (PARTITION BY due."customerId" ORDER BY due."nextAt", due.address) AS turn
        FROM customers
       CROSS JOIN LATERAL (
         SELECT count(*) FROM "SmartAccountDeployment" AS leased
          WHERE leased."customerId" = customers."customerId" AND leased.state IN ('WAITING', 'SENDING')
            AND leased."leasedUntil" > now()
       ) AS busy
       CROSS JOIN LATERAL (
         SELECT "customerId", "chainId", address, "nextAt" FROM "SmartAccountDeployment" AS open
          WHERE open."customerId" = customers."customerId" AND open.state IN ('WAITING', 'SENDING')
            AND open."nextAt" <= now() AND (open."leasedUntil" IS NULL OR open."leasedUntil" <= now())
          ORDER BY open."nextAt" LIMIT ${limit}
       ) AS due
    ), chosen AS (
      SELECT deployment."customerId", deployment."chainId", deployment.address
        FROM "SmartAccountDeployment" AS deployment
        JOIN ranked USING ("customerId", "chainId", address)
       WHERE deployment.state IN ('WAITING', 'SENDING') AND deployment."nextAt" <= now()
         AND (deployment."leasedUntil" IS NULL OR deployment."leasedUntil" <= now())
       ORDER BY ranked.turn, ranked."nextAt" LIMIT ${limit} FOR UPDATE OF deployment SKIP LOCKED
    )
    UPDATE "SmartAccountDeployment" AS deployment
       SET "leasedUntil" = now() + make_interval(secs => ${LEASE_SECONDS}),
           "fencingToken" = deployment."fencingToken" + 1
      FROM chosen, "SmartAccount" AS account, "Action" AS action
     WHERE deployment."customerId" = chosen."customerId" AND deployment."chainId" = chosen."chainId"
       AND deployment.address = chosen.address
       AND account."customerId" = chosen."customerId" AND account."chainId" = chosen."chainId"
       AND account.address = chosen.address AND action.id = deployment."actionId"
    RETURNING deployment."customerId", deployment."chainId", deployment.address, account.owner, deployment."actionId",
              deployment.state, deployment.failures, deployment."lastFailure", deployment."fencingToken",
              action.status::text AS "actionStatus", action."expiresAt" <= now() AS "isLate",
              (extract(epoch FROM now() - deployment."createdAt") * 1000)::float8 AS "ageMs"`;
  return rows.map((row) => claimedRow.parse(row));
}

const isClaimed = ({ customerId, chainId, address, fencingToken }: ClaimedDeployment): Prisma.Sql => Prisma.sql`
  "customerId" = ${customerId}::uuid AND "chainId" = ${chainId} AND address = ${address}
  AND "fencingToken" = ${fencingToken} AND "leasedUntil" > now()`;

/**
 * Takes the turn to send: one deployment of an account is sent at a time, whichever customers requested it. False while
 * another one is sent, or after the lease has ended.
 */
export async function takeTurn(
  { database }: { readonly database: Pick<Database, '$executeRaw'> },
  claimed: ClaimedDeployment,
): Promise<boolean> {
  if (claimed.state === 'SENDING') return true;
  const { chainId, address } = claimed;
  try {
    const taken = await database.$executeRaw`
      UPDATE "SmartAccountDeployment" SET state = 'SENDING'
       WHERE ${isClaimed(claimed)} AND state = 'WAITING' AND NOT EXISTS (
         SELECT 1 FROM "SmartAccountDeployment" AS other
          WHERE other."chainId" = ${chainId} AND other.address = ${address} AND other.state = 'SENDING')`;
    return taken === 1;
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError) return false; // another one was first
    throw error;
  }
}

/** What an attempt leaves behind. */
export interface DeploymentUpdate {
  /** `undefined` keeps the stored one. */
  readonly state?: 'WAITING' | 'SENDING' | 'DEPLOYED' | 'FAILED' | undefined;
  readonly failures: number;
  readonly lastFailure: string | null;
  /** `undefined` keeps the stored one. */
  readonly txHash?: string | undefined;
  /** Milliseconds until the next attempt; of no concern once it has ended. */
  readonly nextInMs: number;
}

/** Stores the result of an attempt and releases the lease. False when the lease has ended: the result is then discarded. */
export async function finishDeploymentAttempt(
  tx: Pick<Transaction, '$executeRaw'>,
  claimed: ClaimedDeployment,
  { state, failures, lastFailure, txHash, nextInMs }: DeploymentUpdate,
): Promise<boolean> {
  const hasEnded = state === 'DEPLOYED' || state === 'FAILED';
  const stored = await tx.$executeRaw`
    UPDATE "SmartAccountDeployment"
       SET state = coalesce(${state ?? null}, state), failures = ${failures}, "lastFailure" = ${lastFailure},
           "txHash" = coalesce(${txHash ?? null}, "txHash"), "leasedUntil" = NULL,
           "nextAt" = greatest("nextAt", now() + make_interval(secs => ${nextInMs / 1000}::float8)),
           "finishedAt" = CASE WHEN ${hasEnded} THEN now() END
     WHERE ${isClaimed(claimed)}`;
  return stored === 1;
}
