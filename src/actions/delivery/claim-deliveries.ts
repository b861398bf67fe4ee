import { z } from 'zod';
import type { CustomerId } from '../../auth/principal';
import type { DeliveryPhase } from '../../persistence/client/enums';
import type { Database, Transaction } from '../../persistence/database';

/** How long a claimed delivery is reserved for one replica: longer than a poll may take. */
const LEASE_SECONDS = 60;

export const depositSchema = z.object({ address: z.string(), reference: z.string() });

const claimedRow = z.object({
  actionId: z.string(),
  customerId: z.string().transform((id) => id as CustomerId),
  provider: z.string(),
  deposit: depositSchema.nullable().transform((value) => value ?? undefined),
  checkpoint: z.unknown().transform((value: unknown) => value ?? undefined),
  pollCount: z.int(),
  fencingToken: z.bigint(),
});

/** A delivery that one replica may poll until its lease ends. */
export interface ClaimedDelivery extends z.infer<typeof claimedRow> {
  /** Polls since the last change, this one included. */
  readonly pollCount: number;
  /** Identifies the claim: each claim of a delivery has a higher token than the one before. */
  readonly fencingToken: bigint;
}

/** Leases due deliveries of a provider, each to one replica. The longest due come first. */
export async function claimDueDeliveries(
  { database }: { readonly database: Pick<Database, '$queryRaw'> },
  provider: string,
  limit: number,
): Promise<readonly ClaimedDelivery[]> {
  const rows = await database.$queryRaw<unknown[]>`
    UPDATE "Delivery" AS delivery
       SET "leasedUntil" = now() + make_interval(secs => ${LEASE_SECONDS}),
           "fencingToken" = delivery."fencingToken" + 1, "pollCount" = delivery."pollCount" + 1
      FROM (SELECT "actionId" FROM "Delivery"
             WHERE provider = ${provider} AND phase = 'ACTIVE' AND "nextPollAt" <= now()
               AND ("leasedUntil" IS NULL OR "leasedUntil" <= now())
             ORDER BY "nextPollAt" LIMIT ${limit} FOR UPDATE SKIP LOCKED) AS due
     WHERE delivery."actionId" = due."actionId"
    RETURNING delivery."actionId", delivery."customerId", delivery.provider, delivery.deposit, delivery.checkpoint,
              delivery."pollCount", delivery."fencingToken"`;
  return rows.map((row) => claimedRow.parse(row));
}

/**
 * Locks a claimed delivery until the end of the transaction. False when the lease has ended or was revoked: the outcome
 * of the poll must then be discarded.
 */
export async function lockClaim(tx: Transaction, { actionId, fencingToken }: ClaimedDelivery): Promise<boolean> {
  const locked = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM "Delivery"
     WHERE "actionId" = ${actionId}::uuid AND "fencingToken" = ${fencingToken} AND "leasedUntil" > now() FOR UPDATE`;
  return locked.length === 1;
}

/** State of a delivery after a poll. */
export interface PollResult {
  readonly phase: DeliveryPhase;
  /** Milliseconds until the next poll; `undefined` unless the phase is `ACTIVE`. */
  readonly nextInMs: number | undefined;
  /** Polls since the last change: 0 after a change, so that the next change is detected soon. */
  readonly pollCount: number;
  /** JSON; `undefined` keeps the stored checkpoint. */
  readonly checkpoint: unknown;
  /** The completing call as JSON while it has to be sent, else null. */
  readonly completion: object | null;
}

/** Stores the result of a poll and releases the lease, in the transaction that applies the outcome. */
export async function finishPoll(tx: Transaction, { actionId }: ClaimedDelivery, result: PollResult): Promise<void> {
  const { phase, nextInMs, pollCount } = result;
  const checkpoint = result.checkpoint === undefined ? null : JSON.stringify(result.checkpoint);
  const completion = result.completion === null ? null : JSON.stringify(result.completion);
  const seconds = nextInMs === undefined ? null : nextInMs / 1000;
  await tx.$executeRaw`
    UPDATE "Delivery"
       SET phase = ${phase}::"DeliveryPhase", "nextPollAt" = now() + make_interval(secs => ${seconds}::float8),
           "leasedUntil" = NULL, "pollCount" = ${pollCount}, "lastFailure" = NULL,
           checkpoint = coalesce(${checkpoint}::jsonb, checkpoint), completion = ${completion}::jsonb, "updatedAt" = now()
     WHERE "actionId" = ${actionId}::uuid`;
}

/**
 * Releases the lease of a poll that failed and schedules the next one. No effect once the lease was revoked, or the
 * delivery was claimed again.
 */
export async function postponePoll(
  database: Pick<Database, '$executeRaw'>,
  { actionId, fencingToken }: ClaimedDelivery,
  { nextInMs, failure }: { readonly nextInMs: number; readonly failure: string | undefined },
): Promise<void> {
  await database.$executeRaw`
    UPDATE "Delivery"
       SET "nextPollAt" = now() + make_interval(secs => ${nextInMs / 1000}::float8), "leasedUntil" = NULL,
           "lastFailure" = coalesce(${failure ?? null}, "lastFailure")
     WHERE "actionId" = ${actionId}::uuid AND "fencingToken" = ${fencingToken} AND "leasedUntil" IS NOT NULL`;
}
