import type { Customer, CustomerTable } from '../customers/customer';
import { findCustomers } from '../customers/find-customers';
import { AdminProblem } from './admin-problem';

/** The customer with this id or name. @throws AdminProblem when there is none, or more than one with the name. */
export async function customerNamed(db: CustomerTable, idOrName: string): Promise<Customer> {
  const [customer, ...others] = await findCustomers(db, idOrName);
  if (others.length === 0) return existing(customer, `The customer "${idOrName}" does not exist.`);
  const ids = [customer, ...others].map((one) => `  ${one?.id ?? ''}`);
  throw new AdminProblem([`Several customers are called "${idOrName}": give the id.`, ...ids], 'failure');
}

/** What was found. @throws AdminProblem with the reason when that is nothing. */
export function existing<Found>(found: Found | undefined, reason: string): Found {
  if (found === undefined) throw new AdminProblem([reason], 'failure');
  return found;
}
