import { CUTOFF, DAY, type RetentionRule } from './retention-rule';

/** Rules for the events and deliveries of webhooks. */
export const WEBHOOK_RULES: readonly RetentionRule[] = [
  {
    name: 'attempts of webhooks',
    table: 'WebhookAttempt',
    seconds: 7 * DAY,
    due: `SELECT "deliveryId", number FROM "WebhookAttempt" WHERE at < ${CUTOFF} ORDER BY at`,
    lock: 'FOR UPDATE SKIP LOCKED',
    remove: `DELETE FROM "WebhookAttempt" WHERE ("deliveryId", number) IN (SELECT "deliveryId", number FROM due)`,
  },
  {
    name: 'events of webhooks',
    table: 'WebhookEvent',
    // Their deliveries go with them. Parked ones can be replayed until then. A subquery for each event, because a join would
    // read all deliveries that wait.
    seconds: 30 * DAY,
    due: `
      SELECT event.id FROM "WebhookEvent" AS event
       WHERE event."preparedAt" < ${CUTOFF}
         AND (SELECT delivery.id FROM "WebhookDelivery" AS delivery
               WHERE delivery."eventId" = event.id AND delivery."finishedAt" IS NULL LIMIT 1) IS NULL
       ORDER BY event."preparedAt"`,
    lock: 'FOR UPDATE OF event SKIP LOCKED',
    remove: `DELETE FROM "WebhookEvent" WHERE id IN (SELECT id FROM due)`,
  },
  {
    name: 'webhook endpoints that are deleted or were made for quotes',
    table: 'WebhookEndpoint',
    // The next URL of a quote makes its endpoint again. One that a customer disabled keeps its state.
    seconds: 30 * DAY,
    due: `
      SELECT endpoint.id FROM "WebhookEndpoint" AS endpoint
       WHERE (endpoint.kind = 'QUOTE' OR endpoint.state = 'DELETED') AND endpoint."disabledReason" IS DISTINCT FROM 'CUSTOMER'
         AND endpoint."updatedAt" < ${CUTOFF}
         AND (SELECT delivery.id FROM "WebhookDelivery" AS delivery
               WHERE delivery."endpointId" = endpoint.id LIMIT 1) IS NULL
       ORDER BY endpoint."updatedAt"`,
    lock: 'FOR UPDATE OF endpoint SKIP LOCKED',
    remove: `DELETE FROM "WebhookEndpoint" WHERE id IN (SELECT id FROM due)`,
  },
  {
    name: 'rotated secrets of webhooks',
    table: 'WebhookSecret',
    seconds: DAY,
    due: `SELECT id FROM "WebhookSecret" WHERE "expiresAt" < ${CUTOFF} ORDER BY "expiresAt"`,
    lock: 'FOR UPDATE SKIP LOCKED',
    remove: `DELETE FROM "WebhookSecret" WHERE id IN (SELECT id FROM due)`,
  },
];
