import { type Customer, type CustomerTable, findCustomers } from '../customers/customers';
import { AdminProblem } from './admin-problem';

/**
 * Returns the customer with this id or name. @throws AdminProblem when there is none, or when several have the name.
 */
export async function findCustomer(database: CustomerTable, idOrName: string): Promise<Customer> {
  const [customer, ...others] = await findCustomers(database, idOrName);
  if (others.length === 0) return requireFound(customer, `The customer "${idOrName}" does not exist.`);
  const ids = [customer, ...others].map((one) => `  ${one?.id ?? ''}`);
  throw new AdminProblem([`Several customers have the name "${idOrName}". Use the id.`, ...ids], 'failure');
}

/** Returns the value. @throws AdminProblem with the reason when it is missing. */
export function requireFound<Found>(found: Found | undefined, reason: string): Found {
  if (found === undefined) throw new AdminProblem([reason], 'failure');
  return found;
}
