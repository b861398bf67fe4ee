import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { EmulatorRoutes } from '../http-emulator';
import { ApiError } from './api-error';
import { transactionBody } from './transaction-body';
import { timestamp, type Transaction, type Webhook, type World } from './world';

const order = z.object({
  url: z.url().optional(),
  subscriptions: z.array(z.string()).optional(),
  enabled: z.boolean().optional(),
});

export interface Webhooks {
  readonly routes: EmulatorRoutes;
  /** Sends the status of a transaction, once: without a signature and without retries. */
  send(transaction: Transaction): void;
}

const TIMEOUT_MS = 5000;

export function openWebhooks(world: World, log: (line: string) => void): Webhooks {
  const deliver = async (url: string, body: object): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(TIMEOUT_MS) });
  };
  return {
    routes: {
      'GET /v1/webhook-configs': () => ({ body: { data: world.webhooks } }),
      'POST /v1/webhook-configs': ({ body }) => ({ status: 201, body: configure(world, body) }),
      'PUT /v1/webhook-configs/:id': ({ parameters, body }) => {
        const config = world.webhooks.find(({ id }) => id === parameters['id']);
        if (config === undefined) throw new ApiError(404, 'not_found', 'Webhook config not found');
        Object.assign(config, order.parse(body));
        world.save();
        return { body: config };
      },
    },
    send(transaction) {
      const event = transaction.type === 'on_ramp' ? 'payin' : 'payout';
      const verb = transaction.status === 'awaiting_deposit' ? 'created' : transaction.status;
      const event_type = `${event}.${verb}`;
      const body = {
        event,
        event_id: randomUUID(),
        event_type,
        event_resource_id: transaction.id,
        event_resource_status: transaction.status,
        event_resource: transactionBody(transaction),
        event_created_at: timestamp(),
      };
      for (const { url, subscriptions, enabled } of world.webhooks) {
        if (!enabled || (subscriptions.length > 0 && !subscriptions.includes(event_type))) continue;
        deliver(url, body).catch((error: unknown) => log(`a callback of the secondary ramp failed: ${String(error)}`));
      }
    },
  };
}

/** Disabled by default; one for each partner. */
function configure(world: World, body: unknown): Webhook {
  const { url, subscriptions = [], enabled = false } = order.parse(body);
  if (url === undefined) throw new ApiError(422, 'invalid_url', 'url is required');
  if (world.webhooks.length > 0) {
    throw new ApiError(422, 'webhook_config_already_exists', 'There is a webhook config already');
  }
  const config: Webhook = { id: randomUUID(), url, subscriptions, enabled };
  world.webhooks.push(config);
  world.save();
  return config;
}
