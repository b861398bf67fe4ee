import { z } from 'zod';
import {
  activateCustomer,
  createCustomer,
  type Customer,
  type CustomerTable,
  findCustomers,
  listCustomers,
  setFeatures,
  setLimits,
  setRateLimits,
  suspendCustomer,
} from '../customers/customers';
import { type Command, defineCommand, type CommandOutput } from './command';
import { findCustomer, requireFound } from './find-customer';
import { integer, rateLimit, requiredText, uploadMegabytes } from './option-values';
import type { CustomerLimit } from '../auth/customer-limits';
import { renderTable } from './render-table';

const LIMIT_OPTIONS = {
  'per-minute': 'requests per minute of each key, or "default" for the limit of the deployment',
  'per-hour': 'requests per hour of each key, or "default" for the limit of the deployment',
};
const MORE_LIMITS = {
  'open-actions': 'openActions',
  'open-drafts': 'openDrafts',
  'open-deliveries': 'openDeliveries',
  'registered-wallets': 'registeredWallets',
  'watched-wallets': 'watchedWallets',
  'action-watches': 'actionWatches',
  'quote-streams': 'quoteStreams',
  'rate-watches': 'rateWatches',
  'upload-megabytes': 'uploadMegabytes',
  'sponsored-gas-usd': 'sponsoredGasUsd',
  'completion-gas-usd': 'completionGasUsd',
  'deployment-gas-usd': 'deploymentGasUsd',
} as const satisfies Record<string, CustomerLimit>;
const MORE_OPTIONS = {
  'open-actions': 'actions that are open at a time, or "default", as for the options below',
  'open-drafts': 'executable quotes that are neither executed nor expired',
  'open-deliveries': 'transfers between chains and at ramps that are in progress',
  'registered-wallets': 'wallets that queries register',
  'watched-wallets': 'wallets whose movements are recorded',
  'action-watches': 'open subscriptions to actions, and as many to wallets, in each process',
  'quote-streams': 'open quote streams, in each process',
  'rate-watches': 'open subscriptions to rates, in each process',
  'upload-megabytes': 'megabytes that are uploaded at a time, in each process',
  'sponsored-gas-usd': 'US dollars of gas that are sponsored in 24 hours',
  'completion-gas-usd': 'US dollars of gas for completing transfers, and for orders of stocks, in 24 hours',
  'deployment-gas-usd': 'US dollars of gas for deploying smart accounts in 24 hours',
};
const limits = { 'per-minute': rateLimit.optional(), 'per-hour': rateLimit.optional() };

const create = defineCommand({
  name: 'customer create',
  summary: 'Creates a customer.',
  positionals: [],
  options: { name: 'name of the customer', ...LIMIT_OPTIONS },
  input: z.object({ name: requiredText, ...limits }),
  async run({ database }, input) {
    const customer = await createCustomer(database, {
      name: input.name,
      rateLimitPerMinute: input['per-minute'],
      rateLimitPerHour: input['per-hour'],
    });
    return { ...reportOf([customer], customer), warnings: await warnOfSameName(database, customer) };
  },
});

/** Names are not unique: the other customers with the name, for commands that take a name. */
async function warnOfSameName(database: CustomerTable, { id, name }: Customer): Promise<readonly string[]> {
  const found = await findCustomers(database, name);
  const others = found.filter((other) => other.name === name && other.id !== id).map((other) => other.id);
  if (others.length === 0) return [];
  return [
    `Another customer has the name "${name}": ${others.join(', ')}. Commands need the id of the one that is meant.`,
  ];
}

const list = defineCommand({
  name: 'customer list',
  summary: 'Lists customers, oldest first.',
  positionals: [],
  options: { page: 'page number, from 1; default 1', limit: 'customers on a page, 1 to 500; default 100' },
  input: z.object({ page: integer.optional(), limit: integer.optional() }),
  async run({ database }, input) {
    const page = await listCustomers(database, input);
    const { page: number, totalPages, total } = page.pagination;
    const { text: table } = reportOf(page.data, page);
    return { data: page, text: `${table}\npage ${number} of ${totalPages}, ${total} customers` };
  },
});

const suspend = defineCommand({
  name: 'customer suspend',
  summary: 'Suspends a customer: all its requests are rejected, within 5 seconds.',
  positionals: ['customer'],
  options: {},
  input: z.object({ customer: requiredText }),
  async run({ database }, { customer }) {
    const { id } = await findCustomer(database, customer);
    return changed(await suspendCustomer(database, id));
  },
});

const activate = defineCommand({
  name: 'customer activate',
  summary: 'Ends the suspension of a customer.',
  positionals: ['customer'],
  options: {},
  input: z.object({ customer: requiredText }),
  async run({ database }, { customer }) {
    const { id } = await findCustomer(database, customer);
    return changed(await activateCustomer(database, id));
  },
});

const limit = defineCommand({
  name: 'customer limit',
  summary: 'Changes the limits of a customer, within 5 seconds. Omitted limits stay unchanged.',
  positionals: ['customer'],
  options: { ...LIMIT_OPTIONS, ...MORE_OPTIONS },
  input: z
    .object({
      customer: requiredText,
      ...limits,
      'open-actions': rateLimit.optional(),
      'open-drafts': rateLimit.optional(),
      'open-deliveries': rateLimit.optional(),
      'registered-wallets': rateLimit.optional(),
      'watched-wallets': rateLimit.optional(),
      'action-watches': rateLimit.optional(),
      'quote-streams': rateLimit.optional(),
      'rate-watches': rateLimit.optional(),
      'upload-megabytes': uploadMegabytes.optional(),
      'sponsored-gas-usd': rateLimit.optional(),
      'completion-gas-usd': rateLimit.optional(),
      'deployment-gas-usd': rateLimit.optional(),
    })
    .refine((input) => Object.entries(input).some(([name, value]) => name !== 'customer' && value !== undefined), {
      path: ['per-minute'],
      message: 'or another limit is required',
    }),
  async run({ database }, { customer, 'per-minute': rateLimitPerMinute, 'per-hour': rateLimitPerHour, ...more }) {
    const { id } = await findCustomer(database, customer);
    const names = Object.keys(MORE_LIMITS) as (keyof typeof MORE_LIMITS)[];
    const changes = Object.fromEntries(names.map((name) => [MORE_LIMITS[name], more[name]]));
    await setLimits(database, id, changes);
    return changed(await setRateLimits(database, id, { rateLimitPerMinute, rateLimitPerHour }));
  },
});

const SWITCH = z.enum(['on', 'off']).transform((text) => text === 'on');

const feature = defineCommand({
  name: 'customer feature',
  summary: 'Turns features of a customer on or off. Omitted features stay unchanged.',
  positionals: ['customer'],
  options: {
    'fee-sponsorship': '"on" or "off": sponsored fees for transfers between chains',
    'secondary-ramp': '"on" or "off": the customer\'s users may choose the secondary ramp',
  },
  input: z
    .object({ customer: requiredText, 'fee-sponsorship': SWITCH.optional(), 'secondary-ramp': SWITCH.optional() })
    .refine((input) => input['fee-sponsorship'] !== undefined || input['secondary-ramp'] !== undefined, {
      path: ['fee-sponsorship'],
      message: 'or --secondary-ramp is required',
    }),
  async run({ database }, input) {
    const { id } = await findCustomer(database, input.customer);
    const [feeSponsorship, secondaryRamp] = [input['fee-sponsorship'], input['secondary-ramp']];
    return changed(
      await setFeatures(database, id, {
        ...(feeSponsorship === undefined ? {} : { feeSponsorship }),
        ...(secondaryRamp === undefined ? {} : { secondaryRamp }),
      }),
    );
  },
});

export const CUSTOMER_COMMANDS: readonly Command[] = [create, list, suspend, activate, limit, feature];

function changed(found: Customer | undefined): CommandOutput {
  const customer = requireFound(found, 'The customer no longer exists.');
  return reportOf([customer], customer);
}

function reportOf(customers: readonly Customer[], data: unknown): CommandOutput {
  const rows = customers.map(({ id, name, status, rateLimitPerMinute, rateLimitPerHour, createdAt }) => [
    ...[id, name, status.toLowerCase()],
    ...[String(rateLimitPerMinute ?? 'default'), String(rateLimitPerHour ?? 'default'), createdAt.toISOString()],
  ]);
  const table = renderTable([['id', 'name', 'status', 'per minute', 'per hour', 'created'], ...rows]);
  return { data, text: [table, ...customers.flatMap(ownLimits)].join('\n') };
}

/** A line with the limits of a customer that differ from those of the deployment. */
function ownLimits({ name, limits: own }: Customer): readonly string[] {
  const given = Object.entries(own).map(([limit, maximum]) => `${limit} ${maximum}`);
  return given.length === 0 ? [] : [`limits of ${name}: ${given.join(', ')}`];
}
