import { z } from 'zod';
import { uuidV7 } from '../persistence/uuid-v7';
import { checked } from './checked';
import { type Customer, CUSTOMER_COLUMNS, customerFields, type CustomerTable, toCustomer } from './customer';

const schema = z.object({
  name: customerFields.name,
  rateLimitPerMinute: customerFields.rateLimitPerMinute.default(null),
  rateLimitPerHour: customerFields.rateLimitPerHour.default(null),
});

/** Takes on a customer, active at once. @throws VALIDATION_ERROR */
export async function createCustomer(db: CustomerTable, parameters: z.input<typeof schema>): Promise<Customer> {
  const data = { id: uuidV7(), ...checked(schema, parameters) };
  return toCustomer(await db.customer.create({ data, select: CUSTOMER_COLUMNS }));
}
