import { z } from 'zod';
import {
  type CustomerLimit,
  givenLimitsSchema,
  limitSchema,
  type OwnLimits,
  ownLimitsSchema,
} from '../auth/customer-limits';
import type { CustomerId } from '../auth/principal';
import { validationError } from '../errors/validation';
import type { PrismaClient } from '../persistence/client/client';
import { uuidV7 } from '../persistence/uuid-v7';

/** A tenant. Limits are requests per window of each API key; `null` stands for the deployment's limits. */
export interface Customer {
  readonly id: CustomerId;
  readonly name: string;
  readonly status: 'ACTIVE' | 'SUSPENDED';
  readonly rateLimitPerMinute: number | null;
  readonly rateLimitPerHour: number | null;
  /** Other limits that replace those of the deployment. */
  readonly limits: OwnLimits;
  readonly createdAt: Date;
}

export type CustomerTable = Pick<PrismaClient, 'customer'>;

/** The columns of a `Customer`. */
const COLUMNS = {
  id: true,
  name: true,
  status: true,
  rateLimitPerMinute: true,
  rateLimitPerHour: true,
  limits: true,
  createdAt: true,
} as const;

const toCustomer = (
  row: Omit<Customer, 'id' | 'limits'> & { readonly id: string; readonly limits: unknown },
): Customer => ({
  ...row,
  id: row.id as CustomerId,
  limits: ownLimitsSchema.parse(row.limits),
});

/** Text of 1 to 100 characters on one line, trimmed. */
export const labelSchema = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters');

const rateLimitSchema = limitSchema.nullable();

/** The parameters as parsed by the schema. @throws VALIDATION_ERROR with all problems at once */
export function parseParameters<Schema extends z.ZodType>(
  schema: Schema,
  parameters: z.input<Schema>,
): z.output<Schema> {
  const parsed = schema.safeParse(parameters);
  if (parsed.success) return parsed.data;
  throw validationError(parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
}

const newCustomerSchema = z.object({
  name: labelSchema,
  rateLimitPerMinute: rateLimitSchema.default(null),
  rateLimitPerHour: rateLimitSchema.default(null),
});

/** Creates an active customer. @throws VALIDATION_ERROR */
export async function createCustomer(
  database: CustomerTable,
  parameters: z.input<typeof newCustomerSchema>,
): Promise<Customer> {
  const data = { id: uuidV7(), ...parseParameters(newCustomerSchema, parameters) };
  return toCustomer(await database.customer.create({ data, select: COLUMNS }));
}

/** The customers with this id or name, at most ten. Names are not unique. */
export async function findCustomers(database: CustomerTable, idOrName: string): Promise<readonly Customer[]> {
  const where = z.guid().safeParse(idOrName).success ? { id: idOrName } : { name: idOrName };
  const rows = await database.customer.findMany({ where, select: COLUMNS, orderBy: { id: 'asc' }, take: 10 });
  return rows.map(toCustomer);
}

export interface CustomerPage {
  readonly data: readonly Customer[];
  readonly pagination: {
    readonly page: number;
    readonly limit: number;
    readonly total: number;
    readonly totalPages: number;
    readonly hasMore: boolean;
  };
}

const pageSchema = z.object({
  page: z.int().min(1).default(1),
  limit: z.int().min(1).max(500).default(100),
});

/** One page of all customers, oldest first. @throws VALIDATION_ERROR */
export async function listCustomers(
  database: CustomerTable,
  parameters: z.input<typeof pageSchema> = {},
): Promise<CustomerPage> {
  const { page, limit } = parseParameters(pageSchema, parameters);
  const [total, rows] = await Promise.all([
    database.customer.count(),
    database.customer.findMany({
      select: COLUMNS,
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      skip: (page - 1) * limit,
      take: limit,
    }),
  ]);
  const totalPages = Math.ceil(total / limit);
  return { data: rows.map(toCustomer), pagination: { page, limit, total, totalPages, hasMore: page < totalPages } };
}

/** Suspends a customer: within 5 s all its requests are refused. `undefined` when there is no such customer. */
export const suspendCustomer = (database: CustomerTable, id: CustomerId): Promise<Customer | undefined> =>
  updateCustomer(database, id, { status: 'SUSPENDED' });

/** Ends a suspension. `undefined` when there is no such customer. */
export const activateCustomer = (database: CustomerTable, id: CustomerId): Promise<Customer | undefined> =>
  updateCustomer(database, id, { status: 'ACTIVE' });

const limitsSchema = z.object({
  rateLimitPerMinute: rateLimitSchema.optional(),
  rateLimitPerHour: rateLimitSchema.optional(),
});

/**
 * Sets the given limits; `null` restores the deployment's limit. `undefined` when there is no such customer.
 *
 * @throws VALIDATION_ERROR
 */
export async function setRateLimits(
  database: CustomerTable,
  id: CustomerId,
  limits: z.input<typeof limitsSchema>,
): Promise<Customer | undefined> {
  return updateCustomer(database, id, parseParameters(limitsSchema, limits));
}

/** Changes of own limits; `null` restores the deployment's limit. */
export type LimitChanges = { readonly [Limit in CustomerLimit]?: number | null | undefined };

/**
 * Sets the given limits other than the request rate. `undefined` when there is no such customer.
 *
 * @throws VALIDATION_ERROR
 */
export async function setLimits(
  database: Pick<PrismaClient, 'customer' | '$executeRaw'>,
  id: CustomerId,
  changes: LimitChanges,
): Promise<Customer | undefined> {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  parseParameters(givenLimitsSchema, Object.fromEntries(given.filter(([, value]) => value !== null)));
  const json = JSON.stringify(Object.fromEntries(given));
  await database.$executeRaw`
    UPDATE "Customer" SET limits = jsonb_strip_nulls(limits || ${json}::jsonb) WHERE id = ${id}::uuid`;
  const row = await database.customer.findUnique({ where: { id }, select: COLUMNS });
  return row === null ? undefined : toCustomer(row);
}

/** Features that are switched on per customer. */
export const FEATURES = ['feeSponsorship', 'secondaryRamp'] as const;
export type Features = Readonly<Record<(typeof FEATURES)[number], boolean>>;

/** Switches the given features on or off. `undefined` when there is no such customer. */
export const setFeatures = (
  database: CustomerTable,
  id: CustomerId,
  features: Partial<Features>,
): Promise<Customer | undefined> => updateCustomer(database, id, features);

/** True when the customer has the feature `feeSponsorship` and has not paused it. */
export async function mayBeSponsored(
  { database }: { readonly database: CustomerTable },
  id: CustomerId,
): Promise<boolean> {
  const customer = await database.customer.findUnique({
    where: { id },
    select: { feeSponsorship: true, sponsorshipPaused: true },
  });
  return customer?.feeSponsorship === true && !customer.sponsorshipPaused;
}

type CustomerChanges = Partial<Features> &
  Partial<Record<'rateLimitPerMinute' | 'rateLimitPerHour', number | null | undefined>> & {
    readonly status?: Customer['status'];
  };

async function updateCustomer(
  database: CustomerTable,
  id: CustomerId,
  changes: CustomerChanges,
): Promise<Customer | undefined> {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const [row] = await database.customer.updateManyAndReturn({ where: { id }, data: given, select: COLUMNS });
  return row === undefined ? undefined : toCustomer(row);
}
