import { serviceError } from '../errors/service-error';
import type { Database } from '../persistence/database';
import { uuidV7 } from '../persistence/uuid-v7';
import { type EndpointKey, findEndpoint } from './endpoints';
import { TEST_EVENT_TYPE } from './event-types';

/**
 * Sends an event of the type `webhook.test` to one endpoint, whatever types it selects. Returns the id of the delivery.
 *
 * @throws WEBHOOK_ENDPOINT_NOT_FOUND; WEBHOOK_DELIVERY_NOT_REPLAYABLE when the endpoint is not enabled
 */
export async function sendTestEvent({ database }: { readonly database: Database }, key: EndpointKey): Promise<string> {
  const { customerId, endpointId } = key;
  const { state, kind, url } = await findEndpoint({ database }, key);
  const [eventId, deliveryId] = [uuidV7(), uuidV7()];
  if (state !== 'ENABLED' || kind !== 'CUSTOMER') {
    const reason = kind === 'CUSTOMER' ? 'its endpoint is not enabled' : 'it is the origin of the URLs of quotes';
    throw serviceError('WEBHOOK_DELIVERY_NOT_REPLAYABLE', { deliveryId: endpointId, reason });
  }
  const occurredAt = new Date();
  const data = { endpointId, url };
  const body = JSON.stringify({ type: TEST_EVENT_TYPE, timestamp: occurredAt.toISOString(), data });
  const event = { id: eventId, customerId, type: TEST_EVENT_TYPE, subjectId: endpointId, body };
  await database.$transaction([
    database.webhookEvent.create({ data: { ...event, occurredAt, preparedAt: occurredAt } }),
    database.webhookDelivery.create({ data: { id: deliveryId, customerId, eventId, endpointId, nextAt: occurredAt } }),
  ]);
  return deliveryId;
}
