import { z } from 'zod';
import { activateCustomer, setFeatures, setRateLimits, suspendCustomer } from '../customers/change-customer';
import { createCustomer } from '../customers/create-customer';
import type { Customer } from '../customers/customer';
import { listCustomers } from '../customers/list-customers';
import { type Command, defineCommand, type Report } from './command';
import { customerNamed, existing } from './look-up';
import { integer, rateLimit, text } from './option-values';
import { renderTable } from './render-table';

const LIMIT_OPTIONS = {
  'per-minute': 'requests per minute of each key, or "default"',
  'per-hour': 'requests per hour of each key, or "default"',
};
const limits = { 'per-minute': rateLimit.optional(), 'per-hour': rateLimit.optional() };

const create = defineCommand({
  name: 'customer create',
  summary: 'Takes on a customer.',
  positionals: [],
  options: { name: 'what the customer is called', ...LIMIT_OPTIONS },
  input: z.object({ name: text, ...limits }),
  async run({ db }, input) {
    const customer = await createCustomer(db, {
      name: input.name,
      rateLimitPerMinute: input['per-minute'],
      rateLimitPerHour: input['per-hour'],
    });
    return reportOf([customer], customer);
  },
});

const list = defineCommand({
  name: 'customer list',
  summary: 'Lists customers, the oldest first.',
  positionals: [],
  options: { page: 'from 1; default 1', limit: 'customers per page, at most 500; default 100' },
  input: z.object({ page: integer.optional(), limit: integer.optional() }),
  async run({ db }, input) {
    const page = await listCustomers(db, input);
    const { page: number, totalPages, total } = page.pagination;
    const { text: table } = reportOf(page.data, page);
    return { data: page, text: `${table}\npage ${number} of ${totalPages}, ${total} customers` };
  },
});

const suspend = defineCommand({
  name: 'customer suspend',
  summary: 'Refuses every request of a customer, within 5 seconds.',
  positionals: ['customer'],
  options: {},
  input: z.object({ customer: text }),
  async run({ db }, { customer }) {
    const { id } = await customerNamed(db, customer);
    return changed(await suspendCustomer(db, id));
  },
});

const activate = defineCommand({
  name: 'customer activate',
  summary: 'Ends the suspension of a customer.',
  positionals: ['customer'],
  options: {},
  input: z.object({ customer: text }),
  async run({ db }, { customer }) {
    const { id } = await customerNamed(db, customer);
    return changed(await activateCustomer(db, id));
  },
});

const limit = defineCommand({
  name: 'customer limit',
  summary: 'Changes the rate limits of a customer; what is not given stays.',
  positionals: ['customer'],
  options: LIMIT_OPTIONS,
  input: z
    .object({ customer: text, ...limits })
    .refine((input) => input['per-minute'] !== undefined || input['per-hour'] !== undefined, {
      path: ['per-minute'],
      message: 'or --per-hour is missing',
    }),
  async run({ db }, input) {
    const { id } = await customerNamed(db, input.customer);
    const given = { rateLimitPerMinute: input['per-minute'], rateLimitPerHour: input['per-hour'] };
    return changed(await setRateLimits(db, id, given));
  },
});

const SWITCH = z.enum(['on', 'off']).transform((text) => text === 'on');

const feature = defineCommand({
  name: 'customer feature',
  summary: 'Switches features of a customer on or off; what is not given stays.',
  positionals: ['customer'],
  options: {
    'fee-sponsorship': '"on" or "off": fees of its transfers between chains may be sponsored',
    'secondary-ramp': '"on" or "off": its users may choose the secondary ramp',
  },
  input: z
    .object({ customer: text, 'fee-sponsorship': SWITCH.optional(), 'secondary-ramp': SWITCH.optional() })
    .refine((input) => input['fee-sponsorship'] !== undefined || input['secondary-ramp'] !== undefined, {
      path: ['fee-sponsorship'],
      message: 'or --secondary-ramp is missing',
    }),
  async run({ db }, input) {
    const { id } = await customerNamed(db, input.customer);
    const [feeSponsorship, secondaryRamp] = [input['fee-sponsorship'], input['secondary-ramp']];
    return changed(
      await setFeatures(db, id, {
        ...(feeSponsorship === undefined ? {} : { feeSponsorship }),
        ...(secondaryRamp === undefined ? {} : { secondaryRamp }),
      }),
    );
  },
});

export const CUSTOMER_COMMANDS: readonly Command[] = [create, list, suspend, activate, limit, feature];

function changed(found: Customer | undefined): Report {
  const customer = existing(found, 'The customer does not exist any more.');
  return reportOf([customer], customer);
}

function reportOf(customers: readonly Customer[], data: unknown): Report {
  const rows = customers.map(({ id, name, status, rateLimitPerMinute, rateLimitPerHour, createdAt }) => [
    ...[id, name, status.toLowerCase()],
    ...[String(rateLimitPerMinute ?? 'default'), String(rateLimitPerHour ?? 'default'), createdAt.toISOString()],
  ]);
  return { data, text: renderTable([['id', 'name', 'status', 'per minute', 'per hour', 'created'], ...rows]) };
}
