import { serviceError } from '../../errors/service-error';
import type { CustomerStanding } from './credential-store';
import type { CustomerId } from '../principal';

/** Checks a customer. False when it does not exist. @throws FORBIDDEN when it is suspended */
export type CustomerGate = (customerId: CustomerId) => Promise<boolean>;

export function createCustomerGate(
  findCustomer: (customerId: CustomerId) => Promise<Pick<CustomerStanding, 'status'> | undefined>,
): CustomerGate {
  return async (customerId) => {
    const customer = await findCustomer(customerId);
    if (customer?.status === 'SUSPENDED') throw serviceError('FORBIDDEN', { reason: 'the customer is suspended' });
    return customer !== undefined;
  };
}
