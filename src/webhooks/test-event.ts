import { recordAudit } from '../auth/audit-log';
import { serviceError } from '../errors/service-error';
import { validationError } from '../errors/validation';
import type { Database } from '../persistence/database';
import { uuidV7 } from '../persistence/uuid-v7';
import { type ByActor, type EndpointKey, endpointTarget, findEndpoint } from './endpoints';
import { TEST_EVENT_TYPE } from './event-types';

/**
 * Sends an event of the type `webhook.test` to one endpoint, whatever types it selects. Returns the id of the delivery.
 *
 * @throws WEBHOOK_ENDPOINT_NOT_FOUND; WEBHOOK_ENDPOINT_NOT_ENABLED; VALIDATION_ERROR for an origin of the URLs of quotes
 */
export async function sendTestEvent(
  { database }: { readonly database: Database },
  { actor, ...key }: EndpointKey & ByActor,
): Promise<string> {
  const { customerId, endpointId } = key;
  const { state, kind, url } = await findEndpoint({ database }, key);
  const [eventId, deliveryId] = [uuidV7(), uuidV7()];
  if (kind !== 'CUSTOMER')
    throw validationError([{ path: 'endpointId', message: 'must not be an origin of the URLs of quotes' }]);
  if (state !== 'ENABLED') throw serviceError('WEBHOOK_ENDPOINT_NOT_ENABLED', { endpointId });
  const occurredAt = new Date();
  const data = { endpointId, url };
  const body = JSON.stringify({ type: TEST_EVENT_TYPE, timestamp: occurredAt.toISOString(), data });
  const event = { id: eventId, customerId, type: TEST_EVENT_TYPE, subjectId: endpointId, body };
  await database.$transaction(async (tx) => {
    await tx.webhookEvent.create({ data: { ...event, occurredAt, preparedAt: occurredAt } });
    await tx.webhookDelivery.create({ data: { id: deliveryId, customerId, eventId, endpointId, nextAt: occurredAt } });
    await recordAudit(tx, actor, { operation: 'sendTestWebhook', ...endpointTarget(endpointId) });
  });
  return deliveryId;
}
