import { Prisma } from '../persistence/client/client';

/** Deliveries of one endpoint that are sent at the same time. */
const MAX_PER_ENDPOINT = 4;

/**
 * Common table expressions. `busy` has the id of each endpoint with a waiting delivery, read by jumps in an index: endpoints
 * without any cost nothing. `open` has those that are neither disabled nor paused, with the number of deliveries that may start:
 * after the breaker was open, a single one has to succeed first.
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
    SELECT endpoint.id, endpoint."customerId",
           CASE WHEN endpoint.openings > 0 THEN 1 ELSE ${MAX_PER_ENDPOINT} END
             - (SELECT count(*) FROM "WebhookDelivery" AS sending
                 WHERE sending."endpointId" = endpoint.id AND sending.state = 'WAITING'
                   AND sending."leasedUntil" > now()) AS slots
      FROM busy JOIN "WebhookEndpoint" AS endpoint ON endpoint.id = busy.id
     WHERE endpoint.state = 'ENABLED' AND (endpoint."openUntil" IS NULL OR endpoint."openUntil" <= now())
  )`;
