import { z } from 'zod';
import type { CustomerId } from '../auth/principal';
import { checked } from './checked';
import { type Customer, CUSTOMER_COLUMNS, customerFields, type CustomerTable, toCustomer } from './customer';

const rateLimits = z.object({
  rateLimitPerMinute: customerFields.rateLimitPerMinute.optional(),
  rateLimitPerHour: customerFields.rateLimitPerHour.optional(),
});

/** Refuses every request of the customer from now on (within 5 s). `undefined` when there is no such customer. */
export const suspendCustomer = (db: CustomerTable, id: CustomerId): Promise<Customer | undefined> =>
  change(db, id, { status: 'SUSPENDED' });

/** Ends a suspension. `undefined` when there is no such customer. */
export const activateCustomer = (db: CustomerTable, id: CustomerId): Promise<Customer | undefined> =>
  change(db, id, { status: 'ACTIVE' });

/**
 * Sets the limits that are given; `null` returns to those of the deployment. `undefined` when there is no such customer.
 *
 * @throws VALIDATION_ERROR
 */
export async function setRateLimits(
  db: CustomerTable,
  id: CustomerId,
  limits: z.input<typeof rateLimits>,
): Promise<Customer | undefined> {
  return change(db, id, checked(rateLimits, limits));
}

/** What a customer may use beyond what everybody may. */
export const FEATURES = ['feeSponsorship', 'secondaryRamp'] as const;
export type Features = Readonly<Record<(typeof FEATURES)[number], boolean>>;

/** Switches the features that are given on or off. `undefined` when there is no such customer. */
export const setFeatures = (
  db: CustomerTable,
  id: CustomerId,
  features: Partial<Features>,
): Promise<Customer | undefined> => change(db, id, features);

type Change = Partial<Features> &
  Partial<Record<'rateLimitPerMinute' | 'rateLimitPerHour', number | null | undefined>> & {
    readonly status?: Customer['status'];
  };

async function change(db: CustomerTable, id: CustomerId, changes: Change): Promise<Customer | undefined> {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const [row] = await db.customer.updateManyAndReturn({ where: { id }, data: given, select: CUSTOMER_COLUMNS });
  return row === undefined ? undefined : toCustomer(row);
}
