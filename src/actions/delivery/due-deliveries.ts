import { z } from 'zod';
import type { CustomerId } from '../../auth/principal';
import type { Database, Transaction } from '../../persistence/database';

/** How long a delivery is left to the replica that looks at it: longer than a look may take. */
const LEASE_SECONDS = 60;

export const depositJson = z.object({ address: z.string(), reference: z.string() });

const claimedRow = z.object({
  actionId: z.string(),
  customerId: z.string().transform((id) => id as CustomerId),
  provider: z.string(),
  deposit: depositJson.nullable().transform((value) => value ?? undefined),
  memory: z.unknown().transform((value: unknown) => value ?? undefined),
  looks: z.int(),
  claimedUntil: z.date(),
});

/** A delivery that is this replica's to look at. */
export interface ClaimedDelivery extends z.infer<typeof claimedRow> {
  /** End of the lease, and what it is known by: whoever takes the delivery up again changes it. */
  readonly claimedUntil: Date;
}

/** Takes deliveries of a provider whose time has come, each for one replica alone. The longest due come first. */
export async function claimDueDeliveries(
  { database }: { readonly database: Pick<Database, '$queryRaw'> },
  provider: string,
  limit: number,
): Promise<readonly ClaimedDelivery[]> {
  const rows = await database.$queryRaw<unknown[]>`
    UPDATE "Delivery" AS delivery
       SET "nextLookAt" = now() + make_interval(secs => ${LEASE_SECONDS}), looks = delivery.looks + 1
      FROM (SELECT "actionId" FROM "Delivery" WHERE provider = ${provider} AND "nextLookAt" <= now()
             ORDER BY "nextLookAt" LIMIT ${limit} FOR UPDATE SKIP LOCKED) AS due
     WHERE delivery."actionId" = due."actionId"
    RETURNING delivery."actionId", delivery."customerId", delivery.provider, delivery.deposit, delivery.memory,
              delivery.looks, delivery."nextLookAt" AS "claimedUntil"`;
  return rows.map((row) => claimedRow.parse(row));
}

/**
 * Holds a delivery to the end of the transaction. False when its lease has ended or it is to be looked at anew: what was
 * found out meanwhile counts no more.
 */
export async function holdClaim(tx: Transaction, { actionId, claimedUntil }: ClaimedDelivery): Promise<boolean> {
  const held = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM "Delivery"
     WHERE "actionId" = ${actionId}::uuid AND "nextLookAt" = ${claimedUntil}::timestamptz AND "nextLookAt" > now() FOR UPDATE`;
  return held.length === 1;
}

/** How a look ended. */
export interface LookResult {
  /** Milliseconds until the next one; `undefined` when there is none. */
  readonly nextInMs: number | undefined;
  /** Looks so far: 0 after a change, so that what follows soon is seen soon. */
  readonly looks: number;
  /** As JSON; what was there stays when it is `undefined`. */
  readonly memory: unknown;
  /** The completing call as JSON while somebody has to send it, else null. */
  readonly completion: object | null;
}

/** Notes the end of a look, as part of the transaction that carries out what it found. */
export async function finishLook(tx: Transaction, { actionId }: ClaimedDelivery, result: LookResult): Promise<void> {
  const { nextInMs, looks } = result;
  const memory = result.memory === undefined ? null : JSON.stringify(result.memory);
  const completion = result.completion === null ? null : JSON.stringify(result.completion);
  const seconds = nextInMs === undefined ? null : nextInMs / 1000;
  await tx.$executeRaw`
    UPDATE "Delivery"
       SET "nextLookAt" = now() + make_interval(secs => ${seconds}::float8), looks = ${looks}, "lastFailure" = NULL,
           memory = coalesce(${memory}::jsonb, memory), completion = ${completion}::jsonb, "updatedAt" = now()
     WHERE "actionId" = ${actionId}::uuid`;
}

/** Notes that a delivery could not be looked at. Nothing else of it changes. */
export async function postponeLook(
  database: Pick<Database, '$executeRaw'>,
  { actionId, claimedUntil }: ClaimedDelivery,
  { nextInMs, failure }: { readonly nextInMs: number; readonly failure: string | undefined },
): Promise<void> {
  await database.$executeRaw`
    UPDATE "Delivery"
       SET "nextLookAt" = now() + make_interval(secs => ${nextInMs / 1000}::float8),
           "lastFailure" = coalesce(${failure ?? null}, "lastFailure")
     WHERE "actionId" = ${actionId}::uuid AND "nextLookAt" = ${claimedUntil}::timestamptz`;
}
