import type { CustomerId } from './principal';
import type { Transaction } from '../persistence/database';

/** Lets concurrent changes of a customer follow one another until the end of the transaction, so that each sees the one before. */
export async function lockCustomer(tx: Transaction, customerId: CustomerId): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM "Customer" WHERE id = ${customerId}::uuid FOR NO KEY UPDATE`;
}
