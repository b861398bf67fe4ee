import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { CustomerId } from '../auth/principal';
import type { Database } from '../persistence/database';
import { BUSY_ENDPOINTS, CUSTOMER_SHARE, IS_FIRST } from './busy-endpoints';

/** How long a claimed delivery is reserved for one worker: longer than an exchange may take. */
const LEASE_SECONDS = 60;

const claimedRow = z.object({
  id: z.string(),
  customerId: z.string().transform((id) => id as CustomerId),
  endpointId: z.string(),
  kind: z.enum(['CUSTOMER', 'QUOTE']),
  fencingToken: z.bigint(),
  attempts: z.int(),
  eventId: z.string(),
  url: z.string(),
  body: z.string(),
});

/** A delivery that one worker may send until its lease ends. */
export type ClaimedWebhook = z.infer<typeof claimedRow>;

/**
 * Leases due deliveries, each to one worker. Those of the endpoints with the fewest in flight come first, equal ones in a
 * random order. A delivery waits for the earlier ones of its action at the same endpoint.
 */
export async function claimWebhooks(
  { database }: { readonly database: Pick<Database, '$transaction' | '$queryRaw'> },
  limit: number,
): Promise<readonly ClaimedWebhook[]> {
  const maxPerCustomer = Math.max(1, Math.floor(limit / CUSTOMER_SHARE));
  if (limit === 0 || !(await isAnyDue(database))) return [];
  const rows = await database.$transaction(async (tx) => {
    // The claims of all workers take turns: otherwise two of them would count the same free places.
    await tx.$queryRaw`SELECT 1 FROM pg_advisory_xact_lock(hashtextextended('claim of webhook deliveries', 0))`;
    return tx.$queryRaw<unknown[]>`
      WITH RECURSIVE ${BUSY_ENDPOINTS}, due AS MATERIALIZED (
        SELECT candidate.id, open."customerId", open.id AS "endpointId",
               open."inFlight" + candidate.place AS turn, md5(open.id::text || ${randomUUID()}) AS draw
          FROM open CROSS JOIN LATERAL (
            SELECT waiting.id, row_number() OVER (ORDER BY waiting."nextAt", waiting.id) AS place
              FROM (SELECT delivery.id, delivery."nextAt" FROM "WebhookDelivery" AS delivery
                     WHERE delivery."endpointId" = open.id AND delivery.state = 'WAITING' AND delivery."nextAt" <= now()
                       AND (delivery."leasedUntil" IS NULL OR delivery."leasedUntil" <= now())
                       AND ${IS_FIRST}
                     ORDER BY delivery."nextAt" LIMIT greatest(open.slots, 0)) AS waiting
          ) AS candidate
      ), ranked AS (
        SELECT due.*, row_number() OVER (PARTITION BY due."customerId" ORDER BY due.turn, due.draw)
               + (SELECT count(*) FROM "WebhookDelivery" AS sending
                   WHERE sending.state = 'WAITING' AND sending."leasedUntil" > now()
                     AND sending."customerId" = due."customerId") AS "inFlight"
          FROM due
      ), chosen AS (
        SELECT delivery.id FROM ranked JOIN "WebhookDelivery" AS delivery ON delivery.id = ranked.id
         WHERE ranked."inFlight" <= ${maxPerCustomer}
         ORDER BY ranked.turn, ranked.draw
         LIMIT ${limit} FOR UPDATE OF delivery SKIP LOCKED
      )
      UPDATE "WebhookDelivery" AS delivery
         SET "leasedUntil" = now() + make_interval(secs => ${LEASE_SECONDS}), "fencingToken" = delivery."fencingToken" + 1
        FROM chosen, "WebhookEvent" AS event, "WebhookEndpoint" AS endpoint
       WHERE delivery.id = chosen.id AND event.id = delivery."eventId" AND endpoint.id = delivery."endpointId"
      RETURNING delivery.id, delivery."customerId", delivery."endpointId", endpoint.kind, delivery."fencingToken",
                delivery.attempts, event.id AS "eventId", coalesce(event.url, endpoint.url) AS url, event.body`;
  });
  return rows.map((row) => claimedRow.parse(row));
}

/** One cheap statement, for the many polls that find nothing. A delivery that another one holds may be due before that one. */
async function isAnyDue(database: Pick<Database, '$queryRaw'>): Promise<boolean> {
  const due = await database.$queryRaw<unknown[]>`
    SELECT 1 FROM "WebhookDelivery" AS delivery
     WHERE delivery.state = 'WAITING' AND delivery."nextAt" <= now()
       AND (delivery."leasedUntil" IS NULL OR delivery."leasedUntil" <= now()) AND ${IS_FIRST} LIMIT 1`;
  return due.length > 0;
}

/** Releases the lease of a delivery whose attempt was interrupted: another worker sends it at once. */
export async function releaseWebhook(
  database: Pick<Database, '$executeRaw'>,
  { id, fencingToken }: Pick<ClaimedWebhook, 'id' | 'fencingToken'>,
): Promise<void> {
  await database.$executeRaw`
    UPDATE "WebhookDelivery" SET "leasedUntil" = NULL WHERE id = ${id}::uuid AND "fencingToken" = ${fencingToken}`;
}
