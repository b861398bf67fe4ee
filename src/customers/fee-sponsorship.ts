import type { CustomerId } from '../auth/principal';
import type { CustomerTable } from './customer';

/** True when the fees of a customer's transfers between chains may be sponsored. */
export async function mayBeSponsored(
  { db }: { readonly db: Pick<CustomerTable, 'customer'> },
  id: CustomerId,
): Promise<boolean> {
  const customer = await db.customer.findUnique({ where: { id }, select: { feeSponsorship: true } });
  return customer?.feeSponsorship === true;
}
