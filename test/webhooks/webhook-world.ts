import { randomBytes } from 'node:crypto';
import type { CustomerId } from '../../src/auth/principal';
import { createChainTable } from '../../src/chains/chain-table';
import { KNOWN_CHAINS } from '../../src/chains/known-chains';
import { webhookRenderer } from '../../src/main/webhook-data';
import type { Database } from '../../src/persistence/database';
import { createSealer } from '../../src/persistence/personal-data';
import { createEndpoint, type EndpointSettings } from '../../src/webhooks/endpoints';
import type { RenderWebhook } from '../../src/webhooks/prepare-events';
import type { AttemptResult, SendWebhook, WebhookRequest } from '../../src/webhooks/send-webhook';
import { startWebhooks, type Webhooks } from '../../src/webhooks/start-webhooks';
import { someChain } from '../actions/sample-transfer';
import { until as untilTrue } from '../resilience/until';

export const sealer = createSealer([{ version: 1, key: randomBytes(32) }]);
const chains = createChainTable([...KNOWN_CHAINS, someChain(31337), someChain(31338)]);
export const render = webhookRenderer({ chains, brands: { primary: 'primary', secondary: 'secondary' } });
export const silent = { warn: () => undefined };

/** Names no machine: nothing is sent to it. */
export const HOOK = 'https://hooks.example.com/a';

export const addEndpoint = (
  database: Database,
  customerId: CustomerId,
  settings: EndpointSettings & { readonly url?: string } = {},
) =>
  createEndpoint({ database, sealer, webhookUrls: { allowLoopback: false } }, { url: HOOK, ...settings, customerId });

export const ACCEPTED: AttemptResult = {
  failure: undefined,
  status: 204,
  retryAfterSeconds: undefined,
  response: undefined,
  durationMs: 1,
};
export const rejected = (status: number, retryAfterSeconds?: number): AttemptResult => ({
  failure: 'STATUS',
  status,
  retryAfterSeconds,
  response: 'no',
  durationMs: 1,
});

export interface ScriptedReceiver {
  readonly send: SendWebhook;
  /** The messages, in order. */
  readonly received: WebhookRequest[];
}

/** A receiver whose results a test decides. */
export function scriptedReceiver(
  decide: (
    message: WebhookRequest,
    signal: AbortSignal,
  ) => AttemptResult | undefined | Promise<AttemptResult | undefined> = () => ACCEPTED,
): ScriptedReceiver {
  const received: WebhookRequest[] = [];
  return {
    received,
    send: async (message, signal) => {
      received.push(message);
      return decide(message, signal);
    },
  };
}

export const startWorker = (
  database: Database,
  send: SendWebhook,
  more: { readonly render?: RenderWebhook } = {},
): Webhooks => startWebhooks({ database, log: silent, sealer, render, send, pollMs: 10, ...more });

export const until = (condition: () => boolean | Promise<boolean>): Promise<void> =>
  untilTrue('the webhooks are as expected', condition);

/** What a receiver reads of a message. */
export const eventOf = ({ body }: Pick<WebhookRequest, 'body'>) =>
  JSON.parse(body) as { type: string; timestamp: string; data: Record<string, any> };

/** Makes everything that waits due now. */
export const makeDue = (database: Database): Promise<number> =>
  database.$executeRaw`UPDATE "WebhookDelivery" SET "nextAt" = now() - interval '1 second' WHERE state = 'WAITING'`;
