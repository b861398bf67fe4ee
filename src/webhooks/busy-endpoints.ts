import { Prisma } from '../persistence/client/client';

/** Deliveries of one endpoint that are sent at the same time. */
const MAX_PER_ENDPOINT = 4;
/** Deliveries that one process sends at the same time. */
export const MAX_IN_FLIGHT = 64;
/** Share of the free places that the deliveries of one customer take, so that a few with slow receivers leave places for others. */
export const CUSTOMER_SHARE = 4;

/** Condition for a row `delivery`: no earlier event of its action waits for the same endpoint. */
export const IS_FIRST = Prisma.sql`
  NOT EXISTS (SELECT 1 FROM "WebhookDelivery" AS earlier
               WHERE earlier."endpointId" = delivery."endpointId" AND earlier."orderKey" = delivery."orderKey"
                 AND earlier.seq < delivery.seq AND earlier.state = 'WAITING')`;

/**
 * Common table expressions. `busy` has the id of each endpoint with a waiting delivery, read by jumps in an index: endpoints
 * without any cost nothing. `open` has those that are neither disabled nor paused, with the number of deliveries that may start:
 * after the breaker was open, a single one has to succeed first. `inFlight` is the number of those that are being sent.
 */
export const BUSY_ENDPOINTS = Prisma.sql`
  busy AS (
    (SELECT "endpointId" AS id FROM "WebhookDelivery" WHERE state = 'WAITING' ORDER BY "endpointId" LIMIT 1)
    UNION ALL
    SELECT (SELECT delivery."endpointId" FROM "WebhookDelivery" AS delivery
             WHERE delivery.state = 'WAITING' AND delivery."endpointId" > busy.id
             ORDER BY delivery."endpointId" LIMIT 1)
      FROM busy WHERE busy.id IS NOT NULL
  ), open AS (
    SELECT endpoint.id, endpoint."customerId", endpoint.openings, sending.count AS "inFlight",
           CASE WHEN endpoint.openings > 0 THEN 1 ELSE ${MAX_PER_ENDPOINT} END - sending.count AS slots
      FROM busy JOIN "WebhookEndpoint" AS endpoint ON endpoint.id = busy.id
     CROSS JOIN LATERAL (SELECT count(*) AS count FROM "WebhookDelivery" AS delivery
                          WHERE delivery."endpointId" = endpoint.id AND delivery.state = 'WAITING'
                            AND delivery."leasedUntil" > now()) AS sending
     WHERE endpoint.state = 'ENABLED' AND (endpoint."openUntil" IS NULL OR endpoint."openUntil" <= now())
  )`;
