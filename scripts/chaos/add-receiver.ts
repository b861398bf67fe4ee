import type { CustomerId } from '../../src/auth/principal';
import { loadConfig } from '../../src/config/config';
import type { OpenDatabase } from '../../src/persistence/database';
import { createWebhookSealer } from '../../src/persistence/derived-sealer';
import { createEndpoint } from '../../src/webhooks/endpoints';

const ACTION_EVENTS = ['action.created', 'action.pending', 'action.succeeded', 'action.failed', 'action.refunded'];

export interface AddedReceiver {
  readonly endpointId: string;
  readonly secret: string;
}

/** Adds an endpoint on this machine for the events of a customer's actions. `settings`: those of the service. */
export async function addReceiver(
  { database }: OpenDatabase,
  settings: NodeJS.ProcessEnv,
  { customerId, url }: { readonly customerId: string; readonly url: string },
): Promise<AddedReceiver> {
  const deps = { database, sealer: createWebhookSealer(loadConfig(settings)), webhookUrls: { allowLoopback: true } };
  const owned = { customerId: customerId as CustomerId, url, eventTypes: ACTION_EVENTS };
  const { endpoint, secret } = await createEndpoint(deps, owned);
  return { endpointId: endpoint.id, secret };
}
