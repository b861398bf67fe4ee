import type { Database } from '../persistence/database';
import { BUSY_ENDPOINTS } from './busy-endpoints';

/** Deliveries that one statement parks. The next one continues. */
const BATCH_SIZE = 1000;

/** Parks waiting deliveries of endpoints that are no longer enabled. Returns their number. */
export const parkDeliveriesOfDisabled = ({
  database,
}: {
  readonly database: Pick<Database, '$executeRaw'>;
}): Promise<number> =>
  database.$executeRaw`
    WITH RECURSIVE ${BUSY_ENDPOINTS}, parked AS (
      SELECT delivery.id
        FROM busy JOIN "WebhookEndpoint" AS endpoint ON endpoint.id = busy.id AND endpoint.state <> 'ENABLED'
        JOIN "WebhookDelivery" AS delivery ON delivery."endpointId" = endpoint.id AND delivery.state = 'WAITING'
         AND (delivery."leasedUntil" IS NULL OR delivery."leasedUntil" <= now())
       LIMIT ${BATCH_SIZE} FOR UPDATE OF delivery SKIP LOCKED
    )
    UPDATE "WebhookDelivery" AS delivery
       SET state = 'PARKED', "parkedReason" = 'ENDPOINT_DISABLED', "leasedUntil" = NULL, "finishedAt" = now()
      FROM parked WHERE delivery.id = parked.id`;
