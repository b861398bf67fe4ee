import { z } from 'zod';
import { checked } from './checked';
import { type Customer, CUSTOMER_COLUMNS, type CustomerTable, toCustomer } from './customer';

const schema = z.object({
  page: z.int().min(1).default(1),
  limit: z.int().min(1).max(500).default(100),
});

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

/** One page of all customers, the oldest first. @throws VALIDATION_ERROR */
export async function listCustomers(db: CustomerTable, parameters: z.input<typeof schema> = {}): Promise<CustomerPage> {
  const { page, limit } = checked(schema, parameters);
  const [total, rows] = await Promise.all([
    db.customer.count(),
    db.customer.findMany({
      select: CUSTOMER_COLUMNS,
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      skip: (page - 1) * limit,
      take: limit,
    }),
  ]);
  const totalPages = Math.ceil(total / limit);
  return { data: rows.map(toCustomer), pagination: { page, limit, total, totalPages, hasMore: page < totalPages } };
}
