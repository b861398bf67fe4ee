import { z } from 'zod';
import { type Customer, CUSTOMER_COLUMNS, type CustomerTable, toCustomer } from './customer';

/** The customers that an id or a name stands for: none, one, or several with the same name. */
export async function findCustomers(db: CustomerTable, idOrName: string): Promise<readonly Customer[]> {
  const where = z.guid().safeParse(idOrName).success ? { id: idOrName } : { name: idOrName };
  const rows = await db.customer.findMany({ where, select: CUSTOMER_COLUMNS, orderBy: { id: 'asc' }, take: 10 });
  return rows.map(toCustomer);
}
