import { z } from 'zod';
import {
  activateCustomer,
  createCustomer,
  type Customer,
  listCustomers,
  setFeatures,
  setRateLimits,
  suspendCustomer,
} from '../customers/customers';
import { type Command, defineCommand, type CommandOutput } from './command';
import { findCustomer, requireFound } from './find-customer';
import { integer, rateLimit, text } from './option-values';
import { renderTable } from './render-table';

const LIMIT_OPTIONS = {
  'per-minute': 'requests per minute of each key, or "default" for the limit of the deployment',
  'per-hour': 'requests per hour of each key, or "default" for the limit of the deployment',
};
const limits = { 'per-minute': rateLimit.optional(), 'per-hour': rateLimit.optional() };

const create = defineCommand({
  name: 'customer create',
  summary: 'Creates a customer.',
  positionals: [],
  options: { name: 'name of the customer', ...LIMIT_OPTIONS },
  input: z.object({ name: text, ...limits }),
  async run({ database }, input) {
    const customer = await createCustomer(database, {
      name: input.name,
      rateLimitPerMinute: input['per-minute'],
      rateLimitPerHour: input['per-hour'],
    });
    return reportOf([customer], customer);
  },
});

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
  input: z.object({ customer: text }),
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
  input: z.object({ customer: text }),
  async run({ database }, { customer }) {
    const { id } = await findCustomer(database, customer);
    return changed(await activateCustomer(database, id));
  },
});

const limit = defineCommand({
  name: 'customer limit',
  summary: 'Changes the rate limits of a customer. Omitted limits stay unchanged.',
  positionals: ['customer'],
  options: LIMIT_OPTIONS,
  input: z
    .object({ customer: text, ...limits })
    .refine((input) => input['per-minute'] !== undefined || input['per-hour'] !== undefined, {
      path: ['per-minute'],
      message: 'or --per-hour is required',
    }),
  async run({ database }, input) {
    const { id } = await findCustomer(database, input.customer);
    const given = { rateLimitPerMinute: input['per-minute'], rateLimitPerHour: input['per-hour'] };
    return changed(await setRateLimits(database, id, given));
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
    .object({ customer: text, 'fee-sponsorship': SWITCH.optional(), 'secondary-ramp': SWITCH.optional() })
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
  return { data, text: renderTable([['id', 'name', 'status', 'per minute', 'per hour', 'created'], ...rows]) };
}
