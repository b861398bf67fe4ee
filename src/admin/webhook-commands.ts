import { z } from 'zod';
import { listDeliveries, replayDelivery, replayParked } from '../webhooks/delivery-log';
import { listEndpoints, rotateEndpointSecret } from '../webhooks/endpoints';
import { repeatFailedEvents } from '../webhooks/prepare-events';
import { type Command, defineCommand } from './command';
import { findCustomer } from './find-customer';
import { requiredText } from './option-values';
import { renderTable } from './render-table';

const id = z.guid('must be an id');

const endpoints = defineCommand({
  name: 'webhook endpoints',
  summary: 'Lists the webhook endpoints of a customer.',
  positionals: ['customer'],
  options: {},
  input: z.object({ customer: requiredText }),
  async run({ database }, { customer }) {
    const { id: customerId } = await findCustomer(database, customer);
    const data = await listEndpoints({ database }, customerId);
    const rows = data.map(({ id: endpointId, kind, url, eventTypes, state, disabledReason, openUntil }) => [
      ...[endpointId, kind, url, eventTypes.length === 0 ? 'all' : eventTypes.join(',')],
      ...[disabledReason === null ? state : `${state} (${disabledReason})`, openUntil?.toISOString() ?? '-'],
    ]);
    const table = renderTable([['id', 'kind', 'url', 'types', 'state', 'paused until'], ...rows]);
    return { data, text: data.length === 0 ? 'This customer has no webhook endpoints.' : table };
  },
});

const list = defineCommand({
  name: 'webhook list',
  summary: 'Lists the newest webhook deliveries of a customer, at most 100.',
  positionals: ['customer'],
  options: { state: 'only those in this state: WAITING, DELIVERED, PARKED or REPLAYED' },
  input: z.object({ customer: requiredText, state: z.enum(['WAITING', 'DELIVERED', 'PARKED', 'REPLAYED']).optional() }),
  async run({ database }, { customer, state }) {
    const { id: customerId } = await findCustomer(database, customer);
    const { deliveries } = await listDeliveries({ database }, { customerId, state, first: 100 });
    const rows = deliveries.map(({ id: deliveryId, type, subjectId, url, attempts, ...delivery }) => [
      ...[deliveryId, type, subjectId, url, delivery.parkedReason ?? delivery.state, String(delivery.attemptCount)],
      attempts.at(-1)?.failure ?? '-',
    ]);
    const table = renderTable([['id', 'type', 'about', 'url', 'state', 'attempts', 'last failure'], ...rows]);
    return { data: deliveries, text: deliveries.length === 0 ? 'There are no such webhook deliveries.' : table };
  },
});

const replay = defineCommand({
  name: 'webhook replay',
  summary: 'Sends one webhook again, or the parked ones of an endpoint, at most 1,000.',
  positionals: ['customer'],
  options: { delivery: 'id of the delivery to send again', endpoint: 'id of the endpoint with the parked deliveries' },
  input: z
    .object({ customer: requiredText, delivery: id.optional(), endpoint: id.optional() })
    .refine(({ delivery, endpoint }) => (delivery === undefined) !== (endpoint === undefined), {
      path: ['delivery'],
      message: 'or --endpoint is required, and not both',
    }),
  async run({ database }, { customer, delivery: deliveryId, endpoint: endpointId }) {
    const { id: customerId } = await findCustomer(database, customer);
    if (deliveryId !== undefined) await replayDelivery({ database }, { customerId, deliveryId });
    const count = endpointId === undefined ? 1 : await replayParked({ database }, { customerId, endpointId });
    return { data: { count }, text: `${String(count)} webhooks are sent again.` };
  },
});

const prepare = defineCommand({
  name: 'webhook prepare',
  summary: 'Prepares the events of a customer again that an error of this service set aside, at most 1,000.',
  positionals: ['customer'],
  options: {},
  input: z.object({ customer: requiredText }),
  async run({ database }, { customer }) {
    const { id: customerId } = await findCustomer(database, customer);
    const count = await repeatFailedEvents({ database }, customerId);
    return { data: { count }, text: `${String(count)} events are prepared again.` };
  },
});

const rotate = defineCommand({
  name: 'webhook rotate',
  summary: 'Replaces a signing secret and shows the new one once. The former one signs beside it for 24 hours.',
  positionals: ['customer'],
  options: { endpoint: 'id of the endpoint; default: the secret of the customer, for the URLs of its quotes' },
  input: z.object({ customer: requiredText, endpoint: id.optional() }),
  async run({ database, webhookSealer: sealer }, { customer, endpoint: endpointId }) {
    const { id: customerId } = await findCustomer(database, customer);
    const secret = await rotateEndpointSecret({ database, sealer }, { customerId, endpointId });
    return { data: { secret }, text: `${secret}\n\nStore this secret now: it cannot be shown again.` };
  },
});

export const WEBHOOK_COMMANDS: readonly Command[] = [endpoints, list, replay, prepare, rotate];
